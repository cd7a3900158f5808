# frozen_string_literal: true

require "test_helper"
require "support/queue_load"
require "support/supervised"

# Under load, with connections waiting in the queues of the workers' own sockets, none of those is
# lost: however often workers are replaced, killed, added and taken away.
class SupervisorRestartsTest < Raffia::TestCase
  # How often; 100 is what docs tell of.
  ROUNDS = Integer(ENV.fetch("RAFFIA_STRESS_ROUNDS", "8"))

  PROGRAM = <<~RUBY
    #{TestSupport::QueueLoad::WORKER}
    # It never listens: it keeps the port for those that do.
    probe = Socket.new(:INET, :STREAM)
    probe.setsockopt(:SOCKET, :REUSEPORT, 1)
    probe.bind(Addrinfo.tcp("127.0.0.1", 0))
    port = probe.local_address.ip_port
    say("port", port)
    settings = {workers: 2, min_life: 0, slot: ->(_) { listener(port) }}
    settings[:preload] = -> { :loaded } if PRELOAD
    supervise(**settings) { |context| echo(context) }
  RUBY

  def setup = need_fork

  def under_load(preload: true)
    assert_no_leaks do
      program = TestSupport::Supervised.new("PRELOAD = #{preload}\n#{PROGRAM}")
      port = program.hear("port")
      pids = program.hear_all("ready", 2).to_h
      load = TestSupport::QueueLoad.new(port)
      load.await(20)
      yield program, load, pids
    ensure
      load&.stop
      program&.kill(:TERM)
      program&.wait
      program&.close
    end
  end

  [true, false].each do |preload|
    define_method(:"test_rolling_restarts_#{"with_preload" if preload}") do
      under_load(preload: preload) do |program, load|
        ROUNDS.times do
          program.kill(:HUP)
          program.hear_all("ready", 2)
          program.hear_all("exit", 2).each do |_, _, signal, status|
            assert_equal([nil, 0], [signal, status])
          end
          load.await(5)
        end
        load.stop
        assert_empty(load.all_errors.tally)
      end
    end
  end

  # The connections that a killed worker had accepted are lost with it: one, in these workers.
  # Connections in its socket's queue are not.
  def test_workers_that_are_killed
    under_load do |program, load, pids|
      ROUNDS.times do |round|
        program.kill(:KILL, pids[round % 2])
        index, pid = program.hear("ready")
        pids[index] = pid
        load.await(5)
      end
      load.stop
      assert_operator(load.all_errors.size, :<=, ROUNDS, load.all_errors.tally.to_s)
    end
  end

  def test_workers_that_are_taken_away
    under_load do |program, load|
      (ROUNDS / 8.0).ceil.times do # each takes the seconds for which its queue must have been empty
        program.kill(:TTIN)
        assert_equal(2, program.hear("ready").first)
        load.await(30)
        program.kill(:TTOU)
        assert_equal([2, nil, 0], program.hear("exit").values_at(0, 2, 3))
        load.await(10)
      end
      load.stop
      assert_empty(load.all_errors.tally)
    end
  end
end
