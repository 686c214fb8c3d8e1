import tensorflow as tf
from tensorflow.contrib import layers, slim

x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 2])

policy = tf.layers.dense(tf.layers.dense(x, 32, tf.nn.relu), 2)
policy_loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=policy)

critic = layers.fully_connected(x, 2, activation_fn=None)
critic_loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=critic)

rate = slim.fully_connected(x, 2, activation_fn=tf.nn.relu) + 1e-6
rate_loss = tf.reduce_mean(rate - y * tf.log(rate))

with slim.arg_scope([slim.fully_connected], activation_fn=tf.exp):
    scale = slim.fully_connected(x, 2)
scale_loss = tf.reduce_mean(tf.log(scale))

loss = tf.reduce_mean(policy_loss) + tf.reduce_mean(critic_loss) + rate_loss + scale_loss
optimizer = tf.train.AdamOptimizer().minimize(loss)
