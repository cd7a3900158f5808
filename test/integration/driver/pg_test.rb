# frozen_string_literal: true

require_relative "driver_case"

module PGCase
  include DriverCase::Contract

  WAITING = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = " \
    "'active'"
  private_constant :WAITING

  def library = "pg"

  def server = TestSupport::PostgreSQL

  def error = PG::Error

  def connect(port)
    PG.connect(host: "127.0.0.1", port: port, user: "postgres", dbname: "postgres")
  end

  def disconnect(connection) = connection.close

  def close_gate(observer) = observer.exec("SELECT pg_advisory_lock(1)")

  def open_gate(observer, _numbers) = observer.exec("SELECT pg_advisory_unlock(1)")

  def waiting(observer) = Integer(observer.exec(WAITING).getvalue(0, 0))

  # Until the statement ends.
  def slow(connection, number)
    Integer(connection.exec_params("SELECT $1::int, pg_advisory_xact_lock_shared(1)", [number])
      .getvalue(0, 0))
  end

  def echo(connection, text) = connection.exec_params("SELECT $1::text", [text]).getvalue(0, 0)

  def test_a_connection_is_of_use_again_when_its_statement_was_cancelled
    run_fibers do
      connected do |observer|
        close_gate(observer)
        connected do |connection|
          assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.02) { slow(connection, 1) } }
          assert_nil connection.cancel
          assert_equal "again", echo(connection, "again")
        end
        settle(observer, 0)
      end
    end
  end

  def test_200_prepared_statements_run_at_the_same_time
    run_fibers do |scope|
      connected do |observer|
        tasks = at_the_gate(scope, observer, 200) do |number|
          connected do |connection|
            connection.prepare("pass", "SELECT $1::int, pg_advisory_xact_lock_shared(1)")
            Integer(connection.exec_prepared("pass", [number]).getvalue(0, 0))
          end
        end
        open_gate(observer, nil)
        assert_equal [*0...200], tasks.map(&:value)
      end
    end
  end

  def test_a_notification_is_waited_for_in_the_fiber
    run_fibers do |scope|
      connected do |connection|
        connection.exec("LISTEN news")
        heard = scope.spawn do
          connection.wait_for_notify { |channel, _pid, text| break [channel, text] }
        end
        connected { |other| other.exec("NOTIFY news, 'it works'") }
        assert_equal ["news", "it works"], heard.value
      end
    end
  end

  def test_copy_in_and_out
    run_fibers do
      connected do |connection|
        connection.exec("CREATE TEMPORARY TABLE numbers (n int)")
        connection.copy_data("COPY numbers FROM STDIN") do
          50_000.times { |n| connection.put_copy_data("#{n}\n") }
        end
        lines = []
        connection.copy_data("COPY (SELECT n FROM numbers ORDER BY n) TO STDOUT") do
          while (line = connection.get_copy_data) do lines << Integer(line) end
        end
        assert_equal [*0...50_000], lines
      end
    end
  end

  DriverCase.run(self)
end
