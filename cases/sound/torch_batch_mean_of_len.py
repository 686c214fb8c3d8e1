import torch


def evaluate(model, loader, device="cpu"):
    model.eval()
    correct, seen = 0, 0
    with torch.no_grad():
        for x, y in loader:
            pred = model(x.to(device)).argmax(dim=1)
            correct += (pred == y).sum().item()
            seen += y.size(0)
    return correct / len(loader.dataset), correct / seen
