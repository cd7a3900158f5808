# frozen_string_literal: true

require_relative "datagram_contract"

# The kernel's UDP on its loopback.
class KernelDatagramsTest < Raffia::TestCase
  include DatagramContract

  private

  def in_place = yield
end

# Simulated UDP, in threads.
class SimulatedDatagramsTest < Raffia::TestCase
  include DatagramContract

  def test_partitions_lose_datagrams
    Raffia::Simulation.run do |sim|
      got = []
      sim.host("log") do
        socket = UDPSocket.new
        socket.bind("0.0.0.0", 514)
        loop { got << socket.recvfrom(100) }
      end
      sim.settle
      UDPSocket.open do |socket|
        socket.send(+"one", 0, "log", 514)
        sim.sleep(1)
        sim.partition("log")
        socket.send(+"two", 0, "log", 514)
        sim.sleep(1)
        sim.heal
        socket.send(+"three", 0, "log", 514)
        sim.sleep(1)
      end
      assert_equal %w[one three], got.map(&:first)
      assert_equal "10.0.0.1", got.first.last.last
    end
  end

  private

  def in_place(&) = Raffia::Simulation.run(strategy: :random, seed: 3) { yield }
end
