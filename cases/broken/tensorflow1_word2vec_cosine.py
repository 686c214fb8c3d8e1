# breaks: session(similarity, {})
import tensorflow as tf

embeddings = tf.Variable(tf.zeros([3, 2]))
norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
normalized = embeddings / norm  # expect: NAN303 unsafe
similarity = tf.matmul(normalized, normalized, transpose_b=True)
