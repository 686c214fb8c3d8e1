# breaks: session(likelihood, {X: [1.0], STD: [0.0]}), session(weighted, {X: [1.0], STD: [0.0]})
import tensorflow as tf

X = tf.placeholder(tf.float32, [None])
MEAN = tf.Variable([0.0])
STD = tf.placeholder(tf.float32, [None])

deviation = (X - MEAN) / STD  # expect: NAN309 no-fix
likelihood = tf.reduce_mean(tf.log(STD + 1e-6) + tf.square(deviation) / 2)
weighted = tf.reduce_sum((STD + 1e-6) * X) / tf.reduce_sum(STD)  # expect: NAN302 unsafe
train = tf.train.AdamOptimizer().minimize(likelihood + weighted)
