# breaks: session(D_loss, {X: [[-1e6]], Z: [[1e6]]}), session(G_loss, {Z: [[-1e6]]})
import tensorflow as tf

X = tf.placeholder(tf.float32, [None, 1])
Z = tf.placeholder(tf.float32, [None, 1])
D_W = tf.Variable([[1.0]])
G_W = tf.Variable([[1.0]])


def generator(z):
    return tf.matmul(z, G_W)


def discriminator(x):
    logit = tf.matmul(x, D_W)
    return tf.nn.sigmoid(logit), logit


G_sample = generator(Z)
D_real, D_logit_real = discriminator(X)
D_fake, D_logit_fake = discriminator(G_sample)
D_loss = -tf.reduce_mean(tf.log(D_real) + tf.log(1.0 - D_fake))  # expect: NAN102 no-fix; NAN102 no-fix
G_loss = -tf.reduce_mean(tf.log(D_fake))  # expect: NAN102 no-fix
D_solver = tf.train.AdamOptimizer().minimize(D_loss, var_list=[D_W])
G_solver = tf.train.AdamOptimizer().minimize(G_loss, var_list=[G_W])
