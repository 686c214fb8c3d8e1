import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer, mixed, accumulate=1):
        self.model = model
        self.optimizer = optimizer
        self.mixed = mixed
        self.accumulate = accumulate
        self.scaler = torch.amp.GradScaler("cuda", enabled=mixed)
        self.criterion = nn.MSELoss()

    def epoch(self, batches):
        for index, (x, y) in enumerate(batches):
            with torch.autocast("cuda", enabled=self.mixed):
                loss = self.criterion(self.model(x), y) / self.accumulate
            self.scaler.scale(loss).backward()
            if (index + 1) % self.accumulate == 0:
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)  # expect: NAN704 unsafe
                self.scaler.step(self.optimizer)
                self.scaler.update()
                self.optimizer.zero_grad()


def main():
    torch.autograd.set_detect_anomaly(True)  # expect: NAN702 unsafe
    model = nn.Linear(4, 1)
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), lr=0.1), mixed=True)
    trainer.epoch([(torch.ones(2, 4), torch.ones(2, 1))])


if __name__ == "__main__":
    main()
