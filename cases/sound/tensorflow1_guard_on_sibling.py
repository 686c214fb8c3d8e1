# holds: session(likelihood, {X: [1.0], STD: [0.0]}), session(weighted, {X: [1.0], STD: [0.0]})
import tensorflow as tf

X = tf.placeholder(tf.float32, [None])
MEAN = tf.Variable([0.0])
STD = tf.placeholder(tf.float32, [None])

scale = STD + 1e-6
deviation = (X - MEAN) / scale
likelihood = tf.reduce_mean(tf.log(scale) + tf.square(deviation) / 2)
weighted = tf.reduce_sum(scale * X) / tf.reduce_sum(scale)
train = tf.train.AdamOptimizer().minimize(likelihood + weighted)
