# breaks: value(first_means, [1.0])
import jax
import jax.numpy as jnp


class Arms:
    def __init__(self, count):
        self.pulls = jnp.zeros(count)
        self.rewards = jnp.zeros(count)

    def means(self):
        return self.rewards / self.pulls  # expect: NAN309 no-fix

    def update(self, arm, reward):
        self.pulls = self.pulls.at[arm].add(1.0)
        self.rewards = self.rewards.at[arm].add(reward)


def first_means(reward):
    arms = Arms(3)
    arms.update(1, reward[0])
    return jax.nn.softmax(arms.means())
