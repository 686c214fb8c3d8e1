# holds: session(similarity, {})
import tensorflow as tf

embeddings = tf.Variable(tf.zeros([3, 2]))
normalized = tf.nn.l2_normalize(embeddings, 1)
similarity = tf.matmul(normalized, normalized, transpose_b=True)
weights_norm = tf.sqrt(tf.nn.l2_loss(embeddings) + 1.0)
