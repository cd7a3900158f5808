# frozen_string_literal: true

require "open3"
require "tmpdir"
require "uri"
require_relative "../driver/mariadb"
require "support/servers"
require_relative "../server/server_case"

module Raffia
  # The web applications of examples/, as `raffia serve` serves them.
  class ExamplesWebTest < ServerCase
    def test_chat
      need_gem "websocket-driver"
      require "support/websocket_client"
      example("chat", files: %w[page.html room.rb], processes: 1) do |port|
        assert_includes Net::HTTP.get(URI("http://127.0.0.1:#{port}/")),
          "<title>Chat on Raffia</title>"
        enter(port) do |ada|
          assert_equal({"here" => 1}, hear(ada))
          ada.say("no JSON")
          ada.say("[1]")
          enter(port) do |grace|
            assert_equal [{"here" => 2}] * 2, [hear(ada), hear(grace)]
            grace.say(JSON.generate(name: "Grace", text: " hello "))
            assert_equal [%w[Grace hello]] * 2,
              [hear(ada), hear(grace)].map { |message| message.values_at("name", "text") }
          end
          assert_equal({"here" => 1}, hear(ada))
          enter(port) do |late|
            assert_equal ["hello", {"here" => 2}], [hear(late)["text"], hear(late)]
          end
        end
      end
    end

    # Clients reach both processes: of six, the kernel most likely does not give all to one.
    def test_chat_of_two_processes
      need_gem "websocket-driver"
      require "support/websocket_client"
      Dir.mktmpdir do |folder|
        env = {"CHAT_ROOM" => "unix://#{folder}/chat.sock"}
        example("chat", files: %w[page.html room.rb], env: env, processes: 2) do |port|
          2.times do # the second time in another room
            room(env) do
              crowd(port, 6) do |guests|
                wait_until(PATIENCE) { hear(guests.last) == {"here" => 6} }
                guests.first.say(JSON.generate(name: "Ada", text: "hello"))
                guests.each { |guest| wait_until(PATIENCE) { hear(guest)["text"] == "hello" } }
              end
            end
          end
        end
      end
    end

    # Another session has the table, so the statement waits until that lets go of it.
    def test_blocking_database
      need_mysql do |url, client|
        example("blocking_database", env: {"DATABASE_URL" => url}, processes: 0) do |port|
          assert_equal ["visit 1 of /a", "visit 2 of /a", "visit 1 of /b"],
            %w[/a /a /b].map { |path| get(port, path) }
          client.query("LOCK TABLES visits WRITE")
          visits = Array.new(3) { Thread.new { get(port, "/a") } }
          wait_until(PATIENCE) do
            client.query("SHOW PROCESSLIST").to_a
              .count { |row| row["Info"].to_s.start_with?("INSERT") } == 3
          end
          assert_equal "alive", get(port, "/health")
          client.query("UNLOCK TABLES")
          assert_equal ["visit 5 of /a"], visits.map(&:value).sort.last(1)
        end
      end
    end

    private

    PATIENCE = 60
    private_constant :PATIENCE

    def example(name, files: [], env: {}, **options, &)
      folder = "#{ROOT}/examples/#{name}"
      files = files.to_h { |file| [file, File.read("#{folder}/#{file}")] }
      program(File.read("#{folder}/config.ru"), files: files, env: env, **options, &)
    end

    def room(env)
      Open3.popen2(env, RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "run",
        "#{ROOT}/examples/chat/room.rb") do |_, output, program|
        assert_match(/is open/, output.gets)
        yield
      ensure
        ::Process.kill(:TERM, program.pid)
      end
    end

    def crowd(port, size, guests = [], &)
      if guests.size == size
        yield(guests)
      else
        enter(port) { |guest| crowd(port, size, [*guests, guest], &) }
      end
    end

    def enter(port, &)
      TestSupport::WebSocketClient.open(TCPSocket.new("127.0.0.1", port),
        url: "ws://localhost/room", &)
    end

    def hear(client) = JSON.parse(client.hear)

    def get(port, path) = Net::HTTP.get(URI("http://127.0.0.1:#{port}#{path}")).chomp

    def need_mysql
      need_gem "mysql2"
      require "mysql2"
      server = TestSupport::MariaDB.running
      client = Mysql2::Client.new(host: "127.0.0.1", port: server.port)
      client.query("CREATE DATABASE IF NOT EXISTS example")
      client.select_db("example")
      yield "mysql2://root@127.0.0.1:#{server.port}/example", client
    rescue TestSupport::Server::Missing => error
      skip error.message
    ensure
      client&.query("UNLOCK TABLES")
      client&.query("DROP DATABASE example")
      client&.close
    end
  end
end
