import jax.numpy as jnp
from jaxmarl.environments.multi_agent_env import MultiAgentEnv


class Tag(MultiAgentEnv):
    def step_env(self, key, state, actions):
        state = state.replace(pursuer=state.pursuer + actions["pursuer"])
        rewards = self.rewards(state)
        return self.observations(state), state, rewards, state.done, {}

    def rewards(self, state):
        return {"pursuer": -jnp.sqrt(jnp.sum((state.pursuer - state.evader) ** 2, axis=-1))}

    def observations(self, state):
        distance = jnp.linalg.norm(state.pursuer - state.evader)
        return {"pursuer": jnp.append(state.pursuer, distance)}
