"""What classes and functions are called through which, as a rule, nothing is trained.

Everything that is decided by such a name stands here. A base class is what a class is used as, and
tells. What something itself is called is a habit: it lowers a finding to `possible`, unless the
function takes gradients itself, and `--explain-at` says which name it was.
"""

from __future__ import annotations

import re
from typing import Final

UNTRAINED_BASES: Final = re.compile(
    r"^(Optimizer|Metric|LRScheduler|Constraint|Initializer|Function)$"
    r"|(FeatureExtractor|ImageProcessor|Processor|Tokenizer|Metric|Optimizer|Callback|Dataset"
    r"|Scheduler|Sampler)$"
)
"""Base classes of what measures, updates or prepares."""
UNTRAINED_CLASSES: Final = re.compile(
    r"(FeatureExtractor|ImageProcessor|Processor|Tokenizer|Metric|Optimizer|Callback|Dataset"
    r"|Scheduler|Sampler)$"
)
UNTRAINED_FUNCTIONS: Final = re.compile(
    r"^(update_fn|init_fn|scale_by_\w+|metric|accuracy|evaluate|update_state|compute_metrics?|plot\w*)$"
    r"|_metric$|^eval_|maximum_likelihood|^fit$|(^|_)(post|pre)_?process|diagnostics?$|heuristic"
    r"|^_?tell$|initiali[sz]er$|^(valid(ation)?|test|predict)_step|distortion"
)
MAKES_TARGETS: Final = re.compile(
    r"^_?(get|assign|compute|prepare|build|make|generate|encode)_(\w+_)?targets?(_\w+)?$"
)
"""Functions whose results are compared with what is differentiated: they are trained on."""
