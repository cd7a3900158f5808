# frozen_string_literal: true

require_relative "driver_case"
require_relative "mariadb"

# mysql2 waits for the answer to a query in its fiber. All else that it does (to connect, prepared
# statements, ping) blocks the thread, and so goes to the offload pool.
module Mysql2Case
  include DriverCase::Contract
  include DriverMariaDB

  def setup
    super
    @most = Raffia::Executor::Threads::BlockingPool.new.tap(&:shutdown).max
  end

  def library = "mysql2"

  def error = Mysql2::Error

  def connect(port) = Raffia.offload { open_client(port) }

  def ask(connection, statement) = connection.query(statement, as: :array).first

  def open_client(port = @server.port)
    Mysql2::Client.new(host: "127.0.0.1", port: port, username: "root")
  end

  # Calls that know nothing of fibers. The client lives and ends inside of the block: who leaves
  # early must not close it under the thread that is still in it, which libmariadb answers with a
  # crash.
  def slow_and_blocking(number)
    Raffia.offload do
      client = open_client
      client.prepare("SELECT GET_LOCK('gate', 600), RELEASE_LOCK('gate'), ?")
        .execute(number, as: :array).first.last
    ensure
      client&.close
    end
  end

  def test_blocking_statements_take_turns_in_the_offload_pool_and_other_fibers_go_on
    run_fibers do |scope|
      connected do |observer|
        close_gate(observer)
        tasks = Array.new(10) { |number| scope.spawn { slow_and_blocking(number) } }
        settle(observer, [@most, 10].min) # it asks from a fiber
        open_gate(observer, nil)
        assert_equal [*0...10], tasks.map(&:value)
      end
    end
  end

  # The thread is at its statement until that ends: C code cannot be stopped.
  def test_a_cancelled_task_leaves_its_offloaded_statement_which_goes_on
    run_fibers do |scope|
      connected do |observer|
        close_gate(observer)
        task = scope.spawn { slow_and_blocking(1) }
        settle(observer, 1)
        task.cancel
        assert_equal :cancelled, task.join.status
        assert_equal 1, waiting(observer)
        open_gate(observer, nil)
        settle(observer, 0)
      end
    end
  end

  DriverCase.run(self)
end
