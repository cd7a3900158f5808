# frozen_string_literal: true

require_relative "driver_case"
require_relative "mariadb"

module TrilogyCase
  include DriverCase::Contract
  include DriverMariaDB

  def library = "trilogy"

  def error = Trilogy::Error

  def connect(port, **options)
    Trilogy.new(host: "127.0.0.1", port: port, username: "root", **options)
  end

  def ask(connection, statement) = connection.query(statement).rows.first

  def test_its_own_time_limit_works
    run_fibers do
      connected do |observer|
        close_gate(observer)
        impatient = connect(@server.port, read_timeout: 1)
        assert_raises(Trilogy::TimeoutError) { slow(impatient, 1) }
      ensure
        disconnect(impatient)
      end
    end
  end

  def test_an_error_of_the_server_leaves_the_connection_in_use
    run_fibers do
      connected do |connection|
        assert_match(/syntax/, assert_raises(error) { ask(connection, "SELECT FROM") }.message)
        assert_equal "fine", echo(connection, "fine")
      end
    end
  end

  DriverCase.run(self)
end
