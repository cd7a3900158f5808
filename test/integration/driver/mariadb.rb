# frozen_string_literal: true

# Both drivers want it. There may be two, Ruby's own and the bundle's, and RubyGems does not choose
# between them.
gem "bigdecimal" unless Gem::Specification.find_all_by_name("bigdecimal").empty?

# The gate of DriverCase in MariaDB: a lock by name. The driver's suite says ask(connection,
# statement), which is the first row.
module DriverMariaDB
  GATE = "GET_LOCK('gate', 600)"
  WAITING = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'"
  private_constant :GATE, :WAITING

  def server = TestSupport::MariaDB

  def close_gate(observer) = ask(observer, "SELECT #{GATE}")

  def open_gate(observer, _numbers) = ask(observer, "SELECT RELEASE_LOCK('gate')")

  def waiting(observer) = ask(observer, WAITING).first

  # Each holder of the lock passes it on.
  def slow(connection, number)
    ask(connection, "SELECT #{GATE}, RELEASE_LOCK('gate'), #{number}").last
  end

  def echo(connection, text) = ask(connection, "SELECT '#{text}'").first

  def disconnect(connection) = connection.close
end
