"""PyTorch's functions of whole tensors: reductions, linear algebra, views, new tensors."""

from __future__ import annotations

from typing import Final

from mllint_nan.frameworks.signature import declare
from mllint_nan.frameworks.torch_names import (
    AXIS,
    FACTORY,
    KEEPDIMS,
    cast,
    function,
    inplace,
    layer,
    method,
)

REDUCTIONS: Final = (
    *function("sum", "sum", f"x=input {AXIS} {KEEPDIMS} * ?dtype"),
    *function("mean", "mean", f"x=input {AXIS} {KEEPDIMS} * ?dtype"),
    *function("sum", "nansum", f"x=input {AXIS} {KEEPDIMS} * ?dtype", leaves_nan_out=True),
    *function("mean", "nanmean", f"x=input {AXIS} {KEEPDIMS} * ?dtype", leaves_nan_out=True),
    *function("prod", "prod", f"x=input {AXIS} {KEEPDIMS} * ?dtype"),
    *function("max", "amax", f"x=input {AXIS} {KEEPDIMS}"),
    *function("min", "amin", f"x=input {AXIS} {KEEPDIMS}"),
    *function("max", "max", f"x=input {AXIS} {KEEPDIMS}", pair_with_axis=True),
    *function("min", "min", f"x=input {AXIS} {KEEPDIMS}", pair_with_axis=True),
    *function("maximum", "max", "x=input y=other", render=False),
    *function("minimum", "min", "x=input y=other", render=False),
    *function("median", "median", f"x=input {AXIS} {KEEPDIMS}", pair_with_axis=True),
    *function("sort", "sort", "x=input axis=dim -descending * -stable", render=False, pair=True),
    *function("sort", "msort", "x=input", render=False, fixed={"axis": 0}),
    *function("topk", "topk", "x=input size=k! axis=dim largest -sorted", render=False, pair=True),
    *function("any", "any", f"x=input {AXIS} {KEEPDIMS}"),
    *function("all", "all", f"x=input {AXIS} {KEEPDIMS}"),
    *function("logsumexp", "logsumexp", f"x=input {AXIS}! {KEEPDIMS}"),
    *declare("logsumexp", "torch.special.logsumexp", f"x=input {AXIS}! {KEEPDIMS}"),
    *function("count_nonzero", "count_nonzero", f"x=input {AXIS}"),
    *function("argmax", "argmax", f"x=input {AXIS} {KEEPDIMS}"),
    *function("argmin", "argmin", f"x=input {AXIS} {KEEPDIMS}"),
    *(
        signature
        for operation in ("var", "std")
        for signature in (
            *declare(
                operation,
                f"torch.{operation}",
                f"x=input {AXIS} * correction {KEEPDIMS}",
                defaults={"correction": 1},
            ),
            *declare(
                operation,
                operation,
                f"x=self {AXIS} * correction {KEEPDIMS}",
                defaults={"correction": 1},
                method=True,
            ),
            # `unbiased` is a correction: True is 1 and False is 0.
            *declare(
                operation,
                f"torch.{operation}",
                f"x=input {AXIS} correction=unbiased {KEEPDIMS}",
                defaults={"correction": 1},
                render=False,
            ),
            *declare(
                operation,
                operation,
                f"x=self {AXIS} correction=unbiased {KEEPDIMS}",
                defaults={"correction": 1},
                method=True,
                render=False,
            ),
        )
    ),
    *declare("norm", "torch.linalg.vector_norm", f"x|input ord {AXIS} {KEEPDIMS} * ?dtype"),
    # Deprecated, or with another order for matrices: read, never written.
    *declare(
        "norm", "torch.norm", "x=input ord=p axis=dim keepdims=keepdim ?out ?dtype", render=False
    ),
    *declare("norm", "torch.linalg.norm", f"x=input ord {AXIS} {KEEPDIMS} * ?dtype", render=False),
    *declare(
        "norm",
        "torch.functional.norm",
        "x=input ord=p axis=dim keepdims=keepdim ?out ?dtype",
        render=False,
    ),
    *method("norm", "norm", "x=self ord=p axis=dim keepdims=keepdim ?dtype", render=False),
)

ALONG: Final = (
    *function("cumsum", "cumsum", f"x=input {AXIS}! * ?dtype"),
    *function("cumprod", "cumprod", f"x=input {AXIS}! * ?dtype"),
    *inplace("cumsum", "cumsum_", f"x=self {AXIS}! * ?dtype"),
    *inplace("cumprod", "cumprod_", f"x=self {AXIS}! * ?dtype"),
    *function("logcumsumexp", "logcumsumexp", f"x=input {AXIS}!"),
    *declare(
        "normalize",
        "torch.nn.functional.normalize",
        "x=input ord=p axis=dim epsilon=eps ?out",
        defaults={"axis": 1, "epsilon": 1e-12},
    ),
)

LINEAR_ALGEBRA: Final = (
    *function("matmul", "matmul", "x=input y=other"),
    *function("matmul", "mm bmm", "x=input y=mat2", render=False),
    *function("matmul", "mv", "x=input y=vec", render=False),
    *declare("matmul", "torch.linalg.matmul", "x=input y=other"),
    *declare("dot", "torch.dot", "x=input y=tensor"),
    *declare("dot", "torch.inner", "x=input y=other", fixed={"by": "inner"}),
    *method("dot", "dot", "x=self y=tensor"),
    *method("dot", "inner", "x=self y=other", fixed={"by": "inner"}),
    *declare("dot", "torch.linalg.vecdot", "x y * ?dim", render=False),
    *declare("einsum", "torch.einsum torch.functional.einsum", "equation x y"),
    *declare("det", "torch.linalg.det", "x=A"),
    *function("det", "det", "x=input"),
    *function("logdet", "logdet", "x=input"),
    *declare("slogdet", "torch.linalg.slogdet", "x=A"),
    *function("slogdet", "slogdet", "x=input"),
    *declare("inv", "torch.linalg.inv", "x=A"),
    *function("inv", "inverse", "x=input"),
    *declare("cholesky", "torch.linalg.cholesky", "x=input * ?upper"),
    *function("cholesky", "cholesky", "x=input ?upper"),
    *function("trace", "trace", "x=input"),
    *declare("svd", "torch.linalg.svd", "x=A -full_matrices * -driver"),
    *function("svd", "svd", "x=input -some ?compute_uv"),
    *declare("eigh", "torch.linalg.eigh", "x=input|A -UPLO"),
    *declare(
        "cosine_similarity",
        "torch.nn.functional.cosine_similarity torch.cosine_similarity",
        "x=x1 y=x2 axis=dim epsilon=eps",
        defaults={"axis": 1, "epsilon": 1e-8},
    ),
    *layer(
        "cosine_similarity",
        "CosineSimilarity",
        "axis=dim epsilon=eps",
        defaults={"axis": 1, "epsilon": 1e-8},
    ),
    *declare(
        "distance",
        "torch.cdist torch.functional.cdist",
        "x=x1 y=x2 ord=p -compute_mode",
        fixed={"by": "pair"},
    ),
    *declare(
        "distance",
        "torch.nn.functional.pairwise_distance torch.pairwise_distance",
        "x=x1 y=x2 ord=p -eps ?keepdim",
    ),
    *declare("distance", "torch.dist", "x=input y=other ord=p", fixed={"by": "all"}),
    *method("distance", "dist", "x=self y=other ord=p", fixed={"by": "all"}),
    *layer("distance", "PairwiseDistance", "ord=p -eps ?keepdim"),
)

VIEWS: Final = (
    *function("reshape", "reshape", "x=input shape! ..."),
    *method("reshape", "view", "x=self shape|size|dtype! ..."),
    *method("reshape", "reshape_as view_as", "x=self shape=other!"),
    *function("reshape", "unflatten", "x=input -dim shape=sizes!", render=False),
    *function("flatten", "flatten", "x=input shape=start_dim -end_dim"),
    *function("flatten", "ravel", "x=input"),
    *layer("flatten", "Flatten", "shape=start_dim -end_dim"),
    *layer("reshape", "Unflatten", "-dim shape=unflattened_size"),
    *function("squeeze", "squeeze", "x=input shape=dim"),
    *function("expand_dims", "unsqueeze", "x=input shape=dim!"),
    *inplace("squeeze", "squeeze_", "x=self shape=dim"),
    *inplace("expand_dims", "unsqueeze_", "x=self shape=dim!"),
    *function("transpose", "transpose swapaxes swapdims", "x=input shape=dim0|axis0! -dim1|axis1"),
    *function("transpose", "t", "x=input"),
    *declare("transpose", "torch.permute", "x=input shape=dims!"),
    *method("transpose", "permute", "x=self shape=dims! ..."),
    *function("transpose", "movedim moveaxis", "x=input shape=source! -destination"),
    *function("transpose", "flip", "x=input shape=dims! ...", render=False),
    *function("diagonal", "diag", "x=input ?diagonal", fixed={"of": "any"}, render=False),
    *function("diagonal", "diagonal", "x=input ?offset ?dim1 ?dim2", render=False),
    *function("transpose", "roll", "x=input shape=shifts! -dims", render=False),
    *method("transpose", "adjoint", "x=self", render=False),
    *method("broadcast", "expand", "x=self shape=size! ..."),
    *method("broadcast", "expand_as", "x=self shape=other!"),
    *method("broadcast", "repeat", "x=self shape=repeats! ..."),
    *declare("broadcast", "torch.broadcast_to", "x=input shape=size!"),
    *method("broadcast", "broadcast_to", "x=self shape=size!"),
    *declare("broadcast", "torch.tile", "x=input shape=dims!", render=False),
    *method("broadcast", "tile", "x=self shape=dims! ...", render=False),
    *function(
        "broadcast", "repeat_interleave", "x=input shape=repeats! -dim * -output_size", render=False
    ),
    *function("gather", "gather", "x=input axis=dim index * -sparse_grad", fixed={"by": "place"}),
    *function("gather", "index_select", "x=input axis=dim index"),
    *function("gather", "take_along_dim", "x=input index=indices axis=dim", fixed={"by": "place"}),
    *function("gather", "take", "x=input index"),
    *function("gather", "select", "x=input axis=dim index", render=False),
    *declare(
        "gather",
        "torch.nn.functional.embedding",
        "index=input x=weight -padding_idx ?max_norm -norm_type -scale_grad_by_freq -sparse",
        fixed={"axis": 0},
        render=False,
    ),
    *function(
        "split", "chunk", "x=input size=chunks! axis=dim", fixed={"by": "number"}, render=False
    ),
    *declare(
        "split", "torch.split", "x=tensor size=split_size_or_sections! axis=dim", render=False
    ),
    *method("split", "split", "x=self size=split_size! axis=dim", render=False),
    *function("split", "unbind", "x=input axis=dim", render=False),
    *function(
        "split",
        "tensor_split",
        "x=input size=indices_or_sections|sections|indices! axis=dim",
        fixed={"by": "place"},
        render=False,
    ),
    *(
        signature
        for name in ("hsplit", "vsplit", "dsplit")
        for signature in function(
            "split",
            name,
            "x=input size=indices_or_sections|sections|indices!",
            fixed={"by": name},
            render=False,
        )
    ),
    *function("boolean_mask", "masked_select", "x=input mask"),
    *declare("identity", "torch.clone", "x=input * -memory_format"),
    *method("identity", "clone contiguous", "x=self * -memory_format"),
    *method("identity", "cuda", "x=self -device -non_blocking -memory_format"),
    *method("identity", "cpu", "x=self -memory_format"),
    *method("identity", "requires_grad_", "x=self -requires_grad", render=False),
    *method("identity", "pin_memory share_memory_ resolve_conj", "x=self", render=False),
    *layer("identity", "Identity", "..."),
    *method("cast", "to", "x=self dtype|other * -non_blocking -copy -device -memory_format"),
    *method(
        "cast", "to", "x=self -device dtype -non_blocking -copy * -memory_format", render=False
    ),
    *method("cast", "type", "x=self dtype -non_blocking", render=False),
    *method("cast", "type_as", "x=self dtype=other!", render=False),
    *cast("float32", "float"),
    *cast("float64", "double"),
    *cast("float16", "half"),
    *cast("bfloat16", "bfloat16"),
    *cast("int64", "long"),
    *cast("int32", "int"),
    *cast("int16", "short"),
    *cast("int8", "char"),
    *cast("uint8", "byte"),
    *cast("bool", "bool"),
    *declare("cast", "torch.tensor", f"x=data * dtype {FACTORY}"),
    *declare("cast", "torch.as_tensor torch.asarray", "x=data|obj dtype -device * -requires_grad"),
    *declare("cast", "torch.scalar_tensor", f"x=s * dtype {FACTORY}", render=False),
    *declare("identity", "torch.from_numpy", "x=ndarray", render=False),
    *method("detach", "detach", "x=self"),
    *declare("detach", "torch.detach", "x=input"),
    *inplace("detach", "detach_", "x=self"),
    *method("detach", "item tolist", "x=self", render=False),
    *method("detach", "numpy", "x=self * -force", render=False),
    *declare(
        "concat",
        "torch.cat torch.concat torch.concatenate",
        f"x=tensors {AXIS}",
        defaults={"axis": 0},
    ),
    *declare("stack", "torch.stack", "x=tensors axis=dim", defaults={"axis": 0}),
    *declare("stack", "torch.hstack torch.vstack torch.dstack", "x=tensors", render=False),
)

CONSTANTS: Final = (
    *declare("zeros", "torch.zeros", f"shape=size ... * dtype {FACTORY}"),
    *declare("zeros", "torch.empty", f"shape=size ... * dtype {FACTORY}", render=False),
    *method(
        "zeros", "new_zeros new_empty", f"-self shape=size ... * dtype {FACTORY}", render=False
    ),
    *declare("ones", "torch.ones", f"shape=size ... * dtype {FACTORY}"),
    *method("ones", "new_ones", f"-self shape=size ... * dtype {FACTORY}", render=False),
    *declare("full", "torch.full", f"shape=size value=fill_value * dtype {FACTORY}"),
    *method(
        "full", "new_full", f"-self shape=size value=fill_value * dtype {FACTORY}", render=False
    ),
    *method("cast", "new_tensor", f"-self x=data * dtype {FACTORY}", render=False),
    *declare("zeros_like", "torch.zeros_like", f"x=input * dtype {FACTORY}"),
    *declare("ones_like", "torch.ones_like", f"x=input * dtype {FACTORY}"),
    *declare("full_like", "torch.full_like", f"x=input value=fill_value * dtype {FACTORY}"),
    *inplace("zeros_like", "zero_", "x=self"),
    *inplace("full_like", "fill_", "x=self value"),
    *declare("full_like", "torch.fill_", "x=input value", inplace=True),
    *declare("eye", "torch.eye", f"size=n -m * -dtype {FACTORY}"),
    *declare("arange", "torch.arange", f"stop=end * -dtype {FACTORY}"),
    *declare("arange", "torch.arange", f"start stop=end step * -dtype {FACTORY}"),
    *declare(
        "linspace", "torch.linspace", f"start stop=end num=steps * -dtype {FACTORY}", render=False
    ),
    *declare("one_hot", "torch.nn.functional.one_hot", "x=input|tensor size=num_classes"),
    *declare("uniform", "torch.rand", f"shape=size ... * -generator dtype {FACTORY}"),
    *declare("uniform", "torch.rand_like", f"-input * dtype {FACTORY}", render=False),
    *inplace("uniform", "uniform_", "-self low=from high=to * -generator"),
    *declare("normal", "torch.randn", f"shape=size ... * -generator -dtype {FACTORY}"),
    *declare("normal", "torch.randn_like", f"-input * -dtype {FACTORY}", render=False),
    *declare("normal", "torch.normal", "mean std shape=size * -generator", render=False),
    *inplace("normal", "normal_", "-self mean std * -generator"),
    *declare("size", "torch.numel", "x=input"),
    *method("size", "numel nelement", "x=self"),
    *method("size", "size", "x=self axis=dim!"),
    *method("shape", "size", "x=self"),
)
