# frozen_string_literal: true

require "test_helper"
require "support/daemon"
require "support/jobs_postgres"

# Behind PgBouncer, which hands each transaction to any of its connections: nothing that we do may
# need the one before.
class JobsPostgresPoolerTest < Raffia::TestCase
  include TestSupport::JobsPostgres

  # @yieldparam port [Integer]
  def behind(mode)
    program = TestSupport::Daemon.find("pgbouncer")
    port = TestSupport::Daemon.free_port
    Dir.mktmpdir("raffia-pooler-") do |dir|
      File.chmod(0o755, dir)
      File.write(users = File.join(dir, "users"), "\"postgres\" \"\"\n")
      File.write(file = File.join(dir, "pgbouncer.ini"), settings(mode, port, users))
      # It refuses to be root.
      nobody = ::Process.uid.zero? ? %w[setpriv --reuid=nobody --regid=nogroup --clear-groups] : []
      TestSupport::Daemon.run(*nobody, program, file, port: port) { yield port }
    end
  rescue TestSupport::Daemon::Missing
    skip "pgbouncer is not installed here (as root: bin/setup --drivers)"
  end

  def settings(mode, port, users)
    <<~INI
      [databases]
      postgres = host=127.0.0.1 port=#{@server.port} user=postgres
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = #{port}
      unix_socket_dir =
      auth_type = any
      auth_file = #{users}
      pool_mode = #{mode}
      default_pool_size = 2
      max_client_conn = 100
    INI
  end

  def draft(number, **own)
    Raffia::Jobs::Draft.of(Raffia::Jobs::Client::PayloadBuilder.build({"class" => "Nothing",
      "args" => [number], "raffia" => own.transform_keys(&:to_s)}))
  end

  def test_all_is_well_in_transaction_mode_but_for_news
    behind("transaction") do |port|
      store = Raffia::Jobs::Store.open(address("look=0.05", port: port))
      lease = store.enroll("test:1:x", {}, ttl: 600)
      Raffia.run do |scope|
        Array.new(20) { |n|
          scope.spawn do
            store.enqueue([draft(n), draft(n + 100, limit: {"key" => "k", "max" => 1})])
          end
        }.each(&:join)
      end
      assert_equal 40, store.counts[:queue]
      done = []
      until (claims = store.claim(lease, ["default"], 7)).empty?
        assert_equal [true], store.ack(claims).uniq
        done.concat(claims)
      end
      assert_equal 40, done.uniq { |claim| claim.item["jid"] }.size
      store.wait(["default"]) # looks, and so comes back
      assert_equal "0",
        sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' || $1 || '%' AND " \
          "pid <> pg_backend_pid()", @schema)[0][0]
    ensure
      store&.close
    end
  end

  def test_a_transaction_of_the_applications_goes_through_it_too
    behind("transaction") do |port|
      store = Raffia::Jobs::Store.open(address(port: port))
      mine = connection(port: port)
      mine.transaction { store.within(mine) { store.enqueue([draft(1)]) } }
      assert_raises(RuntimeError) do
        mine.transaction { store.within(mine) { store.enqueue([draft(2)]) && raise("no") } }
      end
      assert_equal 1, store.counts[:queue]
    ensure
      store&.close
    end
  end

  def test_news_come_through_in_session_mode_when_they_are_asked_for
    behind("session") do |port|
      store = Raffia::Jobs::Store.open(address("pool=1&listen=on", port: port))
      waiting = Thread.new { store.wait(["default"], timeout: 1000) }
      wait_until do
        sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' || $1 || '%' AND " \
          "pid <> pg_backend_pid()", @schema) == [["1"]] || !waiting.alive?
      end
      store.enqueue([draft(1)])
      assert waiting.join(PATIENCE)
    ensure
      store&.close
    end
  end
end
