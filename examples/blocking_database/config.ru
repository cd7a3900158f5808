# frozen_string_literal: true

# A web application over a driver that blocks. mysql2's prepared statements wait in C, where no
# scheduler sees it, so each of them would hold up all requests of its process. Raffia.offload runs
# them on other threads; meanwhile the request's fiber waits, and the other requests go on.
#
#     export DATABASE_URL=mysql2://user:password@127.0.0.1:3306/test
#     bin/raffia serve examples/blocking_database/config.ru
#
# and then http://localhost:9292/ and any other path says how often it was visited.
#
# Wants the gem mysql2, and a MariaDB or MySQL. guides/drivers.md says which drivers need this.

require "raffia"
require "mysql2"
require "uri"

# A few connections, each made when it is wanted first: so a worker process never has one that its
# parent uses, too.
class Database
  # At least as many as Raffia.offload has threads.
  CONNECTIONS = 4

  def initialize(url)
    uri = URI(url)
    @settings = {host: uri.host, port: uri.port, username: uri.user, password: uri.password,
                 database: uri.path.delete_prefix("/")}.compact
    @idle = Thread::Queue.new
    CONNECTIONS.times { @idle << nil }
  end

  # All of it happens on the other thread, the giving back too: a request that has run out of time
  # leaves before its statement ends, and nobody else may have the connection until then.
  # @return [Array<Hash>]
  def query(sql, *values)
    Raffia.offload do
      client = @idle.pop || Mysql2::Client.new(**@settings)
      statement = client.prepare(sql)
      statement.execute(*values).to_a
    rescue Mysql2::Error::ConnectionError
      client = nil # the next one makes a new one
      raise
    ensure
      statement&.close if client
      @idle << client
    end
  end
end

DATABASE = Database.new(ENV.fetch("DATABASE_URL"))

# Counts who comes by.
class Visits
  TABLE = "CREATE TABLE IF NOT EXISTS visits (path VARCHAR(200) PRIMARY KEY, count INT NOT NULL)"
  COUNT = "INSERT INTO visits VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1"

  def call(env)
    path = env["PATH_INFO"][0, 200]
    return answer("alive") if path == "/health"

    Raffia.timeout(30) do
      @table ||= DATABASE.query(TABLE)
      DATABASE.query(COUNT, path)
      row = DATABASE.query("SELECT count FROM visits WHERE path = ?", path).first
      answer("visit #{row["count"]} of #{path}")
    end
  rescue Raffia::TimeoutError, Mysql2::Error
    answer("the database does not answer", 503)
  end

  private

  def answer(text, status = 200) = [status, {"content-type" => "text/plain"}, ["#{text}\n"]]
end

run Visits.new
