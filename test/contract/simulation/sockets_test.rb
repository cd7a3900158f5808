# frozen_string_literal: true

require_relative "socket_contract"

# The kernel's sockets on its loopback.
class KernelSocketsTest < Raffia::TestCase
  include SocketContract

  private

  def in_place = yield
end

# Simulated sockets, in threads.
class SimulatedSocketsTest < Raffia::TestCase
  include SocketContract

  private

  def in_place(&) = Raffia::Simulation.run(strategy: :random, seed: 3) { yield }
end

# Simulated sockets, in the fibers of a scheduler.
class SimulatedSocketsInFibersTest < Raffia::TestCase
  include SocketContract

  private

  def in_place(&) = Raffia::Simulation.run { Raffia.run { yield } }
end
