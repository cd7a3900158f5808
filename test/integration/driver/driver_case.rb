# frozen_string_literal: true

require_relative "../../contract/scheduler/scheduler_case"
require "fileutils"
require "support/servers"

# A driver that waits in the fiber, with a real server behind it. The server shows that many
# statements run at the same time: each waits there at a gate, which opens when all have come. One
# after the other they would wait for ever.
#
# A suite says: server, gem, connect(port), disconnect(connection), echo(connection, text), and of
# the gate: close_gate(observer), waiting(observer), slow(connection, number), which waits at the
# gate and answers the number, open_gate(observer, numbers).
module DriverCase
  BACKENDS = %i[uring epoll] & SchedulerCase::BACKENDS

  # Defines a test class for each back end, named after the suite.
  def self.run(suite) = TestSupport::EachBackend.define(suite, self, BACKENDS)

  def setup
    if Gem::Specification.find_all_by_name(library).empty?
      skip "the gem #{library} is not installed (bin/setup --drivers)"
    end
    require library
    @server = server.running
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  # Also after a test that has killed it.
  def teardown = @server&.start

  def run_fibers(&block)
    assert_no_leaks { Raffia.run(backend: backend, &block) }
  end

  # One connection for each fiber: that is how all of these drivers want it.
  def connected(port = @server.port)
    connection = connect(port)
    yield connection
  ensure
    disconnect(connection) if connection
  end

  # @return [Array<Raffia::Task>] of statements that are all at the gate, one on each of as many
  #   connections
  def at_the_gate(scope, observer, count, &slow)
    close_gate(observer)
    tasks = Array.new(count) { |number| scope.spawn { slow.call(number) } }
    settle(observer, count)
    tasks
  end

  # Other fibers go on while it waits.
  def settle(observer, count)
    give_up = TestSupport.now + TestSupport::Server::PATIENCE
    until (now = waiting(observer)) == count
      if TestSupport.now > give_up
        flunk("#{now} statements run in the server at the same time, not #{count}")
      end
      sleep(0.01)
    end
  end

  def unused_port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }

  # The tests that are the same for each driver.
  module Contract
    def test_200_statements_run_at_the_same_time
      run_fibers do |scope|
        connected do |observer|
          tasks = at_the_gate(scope, observer, 200) do |number|
            connected { |connection| slow(connection, number) }
          end
          assert_equal [:running], tasks.map(&:status).uniq
          open_gate(observer, 0...200)
          assert_equal [*0...200], tasks.map(&:value)
        end
      end
    end

    # More than fits into the buffers of a socket, so writing waits too.
    def test_large_statements_and_answers_come_whole
      run_fibers do |scope|
        tasks = Array.new(8) do |number|
          text = number.to_s * 3_000_000
          scope.spawn { connected { |connection| echo(connection, text) == text } }
        end
        assert_equal [true], tasks.map(&:value).uniq
      end
    end

    def test_a_server_that_is_killed_is_an_error_in_each_fiber
      run_fibers do |scope|
        observer = connect(@server.port)
        tasks = at_the_gate(scope, observer, 20) do |number|
          connected { |connection| slow(connection, number) }
        rescue error
          :lost
        end
        @server.kill
        assert_equal [:lost], tasks.map(&:value).uniq
      ensure
        disconnect(observer)
      end
    end

    def test_a_timeout_ends_the_wait_and_the_others_go_on
      run_fibers do |scope|
        connected do |observer|
          others = at_the_gate(scope, observer, 2) do |number|
            connected { |connection| slow(connection, number) }
          end
          connected do |connection|
            assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.02) { slow(connection, 2) } }
          end
          assert_equal [:running], others.map(&:status).uniq
          open_gate(observer, 0..1)
          assert_equal [0, 1], others.map(&:value)
          assert_equal "still here", connected { |connection| echo(connection, "still here") }
        end
      end
    end

    def test_a_refused_connection_is_an_error
      run_fibers do
        assert_raises(error) { connected(unused_port) { |connection| echo(connection, "nobody") } }
      end
    end
  end
end
