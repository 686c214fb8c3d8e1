"""Modules that provide data, and what makes data sets and loaders of them."""

from __future__ import annotations

from typing import Final

ARRAYS: Final = frozenset(
    (
        *("numpy", "scipy", "pandas", "sklearn", "skimage", "PIL", "cv2", "h5py", "imageio"),
        *("math", "statistics", "time", "datetime", "os", "pathlib", "glob", "re", "sys", "io"),
        *("json", "csv", "argparse", "string", "uuid", "hashlib", "tensorflow_datasets"),
        *("librosa", "soundfile", "nibabel", "gym", "gymnasium"),
    )
)
"""Modules that provide numbers, arrays, texts, and objects that yield such."""
JOINS: Final = frozenset(("copy", "collections", "itertools", "random", "tqdm", "operator"))
"""Modules whose functions return what they are given."""
PREPARES: Final = (
    *("torch.utils.data.", "torchvision.datasets.", "torchvision.transforms.", "torchvision.io."),
    *("tensorflow.data.", "tensorflow.keras.datasets.", "keras.datasets.", "tensorflow.io."),
    *("tensorflow.image.", "torch_geometric.datasets.", "torch_geometric.loader."),
)
"""Modules whose objects yield data."""
REARRANGES: Final = (
    *("tensorflow.image.", "torchvision.transforms.functional."),
    "torchvision.transforms.v2.functional.",
)
"""Those whose functions return what becomes of the images that they are given, of any origin."""
DECODES: Final = ("tensorflow.image.decode_", "tensorflow.io.decode_", "torchvision.io.decode_")
"""Functions that make numbers of bytes, through which no gradient passes."""
WRAPS: Final = frozenset(("TensorDataset", "StackDataset"))
"""Data sets that yield their own arguments as data, perhaps something that is trained."""
