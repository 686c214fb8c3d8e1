# breaks: value(HierarchicalAttention(1, 1).weigh, [[100.0, 100.0]], [[1.0, 0.0]])
import torch
import torch.nn as nn


class HierarchicalAttention(nn.Module):
    def __init__(self, hidden, attention):
        super().__init__()
        self.proj = nn.Linear(hidden, attention)
        self.context = nn.Linear(attention, 1, bias=False)

    def weigh(self, scores, mask):
        attn = torch.exp(scores)
        attn = attn * mask
        total = attn.sum(dim=1, keepdim=True)
        return attn / total  # expect: NAN103 no-fix

    def forward(self, hidden, mask):
        u = torch.tanh(self.proj(hidden))
        alpha = self.weigh(self.context(u).squeeze(-1), mask)
        return torch.bmm(alpha.unsqueeze(1), hidden).squeeze(1)
