"""The attributes and methods of tensors and arrays: an object with others is something else."""

from __future__ import annotations

from typing import Final

_NAMES: Final = """
H OVERLOADABLE_OPERATORS SaveSliceInfo T abs abs_ absolute absolute_ acos acos_ acosh acosh_
add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_
addressable_data addressable_shards adjoint aggregation all allclose amax amin aminmax angle
any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2
arctan2_ arctan_ arctanh arctanh_ argmax argmin argpartition argsort argwhere as_integer_ratio
as_strided as_strided_ as_strided_scatter as_subclass asin asin_ asinh asinh_ assign assign_add
assign_sub astype at atan atan2 atan2_ atan_ atanh atanh_ aval backing_device backward baddbmm
baddbmm_ base batch_scatter_update bernoulli bernoulli_ bfloat16 bincount bitwise_and
bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or
bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ block_until_ready
bmm bool broadcast_to btrifact btrisolve byte byteswap cauchy_ ccol_indices cdouble ceil ceil_
cfloat chalf char cholesky cholesky_inverse cholesky_solve choose chunk clamp clamp_ clamp_max
clamp_max_ clamp_min clamp_min_ clip clip_ clone coalesce col_indices committed compress conj
conj_physical conj_physical_ conjugate const_data_ptr constraint consumers contiguous copy
copy_ copy_to_host_async copysign copysign_ corrcoef cos cos_ cosh cosh_ count_nonzero
count_up_to cov cpu create cross crow_indices ctypes cuda cummax cummin cumprod cumprod_ cumsum
cumsum_ data data_ptr deg2rad deg2rad_ delete dense_dim dequantize det detach detach_ device
device_buffer device_buffers devices diag diag_embed diagflat diagonal diagonal_scatter diff
digamma digamma_ dim dim_order dist div div_ divide divide_ dot double dsplit dtype dump dumps
eig element_size eq eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ eval exp exp2 exp2_ exp_
expand expand_as experimental_ref expm1 expm1_ exponential_ fill fill_ fill_diagonal_ fix fix_
flags flat flatten flip fliplr flipud float float_power float_power_ floor floor_ floor_divide
floor_divide_ fmax fmin fmod fmod_ format frac frac_ frexp from_proto gather gather_nd gcd gcd_
ge ge_ gels geometric_ geqrf ger gesv get_device get_shape getfield global_shards gpu grad
grad_dtype grad_fn graph greater greater_ greater_equal greater_equal_ gt gt_ half handle
hardshrink hash_tensor heaviside heaviside_ histc histogram hsplit hypot hypot_ i0 i0_ igamma
igamma_ igammac igammac_ imag index index_add index_add_ index_copy index_copy_ index_fill
index_fill_ index_put index_put_ index_reduce index_reduce_ index_select indices initial_value
initialized_value initializer inner int int_repr inverse ipu is_coalesced is_complex is_conj
is_contiguous is_cpu is_cuda is_deleted is_distributed is_floating_point is_fully_addressable
is_fully_replicated is_inference is_initialized is_integer is_ipu is_leaf is_maia is_meta
is_mkldnn is_mps is_mtia is_neg is_nested is_nonzero is_packed is_pinned is_quantized is_ready
is_same_size is_set_to is_shared is_signed is_sparse is_sparse_csr is_vulkan is_xla is_xpu
isclose isfinite isinf isnan isneginf isposinf isreal istft item itemsize kron kthvalue layout
lcm lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ load
log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal_ log_softmax logaddexp logaddexp2
logcumsumexp logdet logical_and logical_and_ logical_not logical_not_ logical_or logical_or_
logical_xor logical_xor_ logit logit_ logsumexp long lstsq lt lt_ lu lu_solve mH mT map2_ map_
masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select matmul matrix_exp
matrix_power max maximum mean median min minimum mm mode module_load moveaxis movedim msort
mtia mul mul_ multinomial multiply multiply_ mv mvlgamma mvlgamma_ name nan_to_num nan_to_num_
nanmean nanmedian nanquantile nansum narrow narrow_copy nbytes ndim ndimension ne ne_ neg neg_
negative negative_ nelement new new_empty new_empty_strided new_full new_ones new_tensor
new_zeros nextafter nextafter_ nonzero nonzero_static norm normal_ not_equal not_equal_ numel
numpy on_device_size_in_bytes op orgqr ormqr outer output_nr overwrite_with_gradient partition
path permute pin_memory pinverse platform polygamma polygamma_ positive potrf potri potrs pow
pow_ prelu prod pstrf ptp put put_ q_per_channel_axis q_per_channel_scales
q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile rad2deg rad2deg_ ragged
ragged_rank random_ ravel read_value read_value_no_copy real reciprocal reciprocal_
record_history record_stream ref register_hook register_post_accumulate_grad_hook regularizer
reinforce relu relu_ remainder remainder_ renorm renorm_ repeat repeat_interleave requires_grad
requires_grad_ reshape reshape_as resize resize_ resize_as resize_as_ resize_as_sparse_
resolve_conj resolve_neg retain_grad retains_grad roll rot90 round round_ row_indices
row_splits_dtype rsqrt rsqrt_ scatter scatter_ scatter_add scatter_add_ scatter_div scatter_max
scatter_min scatter_mul scatter_nd_add scatter_nd_max scatter_nd_min scatter_nd_sub
scatter_nd_update scatter_reduce scatter_reduce_ scatter_sub scatter_update searchsorted select
select_scatter set_ set_shape setfield setflags sgn sgn_ shape sharding share_memory_ short
sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size slice_inverse
slice_scatter slogdet smm softmax solve sort sparse sparse_dim sparse_mask sparse_read
sparse_resize_ sparse_resize_and_clear_ split split_with_sizes sqrt sqrt_ square square_
squeeze squeeze_ sspaddmm std stft storage storage_offset storage_type stride strides sub sub_
subtract subtract_ sum sum_to_size svd swapaxes swapaxes_ swapdims swapdims_ symeig
synchronization t t_ take take_along_dim tan tan_ tanh tanh_ tensor_split tile to to_dense
to_device to_mkldnn to_padded_tensor to_proto to_sparse to_sparse_bsc to_sparse_bsr
to_sparse_coo to_sparse_csc to_sparse_csr tobytes tofile tolist topk trace traceback trainable
transpose transpose_ triangular_solve tril tril_ triu triu_ trtrs true_divide true_divide_
trunc trunc_ type type_as unbind unflatten unfold uniform_ unique unique_consecutive
unsafe_buffer_pointer unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_
untyped_storage value value_index values var vdot view view_as vsplit weak_type where xlogy
xlogy_ xpu zero_
"""
TENSOR_MEMBERS: Final = frozenset(_NAMES.split())
"""The public attributes of the tensors, arrays, variables and parameters of all frameworks, and of
PyTorch before 2.0."""
