# frozen_string_literal: true

require "expect"
require "pty"
require_relative "serve_case"

module Raffia
  # `raffia serve` as a new user meets it.
  class CLIServeTest < CLIServeCase
    def test_without_any_configuration
      serve do |server|
        assert_equal "200", server.get.code
        workers = Array.new(16) { server.get.body.to_i }.uniq
        refute_includes workers, server.pid
        assert_equal [Executor::Cpus.count, "development", "config.ru"],
          server.facts.values_at("processes", "environment", "application")
        assert_equal %w[127.0.0.1 ::1].first(server.urls.size),
          server.urls.map { |url| URI(url).hostname }
        server.kill(:INT)
        assert_equal 0, server.ended.exitstatus
        workers.each { |pid| assert_raises(Errno::ESRCH) { ::Process.kill(0, pid) } }
      end
    end

    %i[INT TERM].each do |signal|
      [0, 2].each do |processes|
        define_method(:"test_#{signal}_with_#{processes}_processes") do
          serve("--processes", processes.to_s) do |server|
            assert_equal processes.zero?, server.get.body.to_i == server.pid
            server.kill(signal)
            assert_equal [0, nil], [server.ended.exitstatus, server.ended.termsig]
            refute_match(/Traceback|Error/, server.err)
          end
        end
      end
    end

    def test_requests_in_flight_are_answered_and_a_second_signal_does_not_wait
      script 'run ->(_env) { $stderr.puts "begun"; sleep(File.exist?("go") ? 0 : 0.01) until ' \
        'File.exist?("go"); [200, {}, ["late"]] }', "config.ru"
      serve("--processes", "0") do |server|
        answer = Thread.new { server.get.body }
        wait_until(PROCESS_PATIENCE) { server.err.include?("begun") }
        server.kill(:TERM)
        wait_until(PROCESS_PATIENCE) { refused?(URI(server.url).port) }
        script "", "go"
        assert_equal "late", answer.value
        assert_equal 0, server.ended.exitstatus
      end
      FileUtils.rm(File.join(@dir, "go"))
      serve("--processes", "0") do |server|
        answer = Thread.new do
          server.get.code
        rescue
          "cut off"
        end # standard:disable Style/RescueModifier
        wait_until(PROCESS_PATIENCE) { server.err.include?("begun") }
        server.kill(:INT)
        wait_until(PROCESS_PATIENCE) { refused?(URI(server.url).port) }
        server.kill(:INT)
        assert_equal 0, server.ended.exitstatus
        assert_includes ["503", "cut off"], answer.value
      end
    end

    # With one request in flight, in one of the workers, all of them are closed to new connections.
    def test_workers_that_drain_refuse_connections_and_answer_those_that_were_queued
      script <<~RUBY, "config.ru"
        run ->(env) do
          $stderr.puts "begun"
          sleep(0.01) until env["PATH_INFO"] == "/" || File.exist?("go")
          [200, {}, ["late"]]
        end
      RUBY
      path = File.join(@dir, "s.sock")
      serve("--processes", "2", "-b", "tcp://127.0.0.1:0", "-b", "unix://#{path}") do |server|
        answer = Thread.new { server.get("/slow").body }
        wait_until(PROCESS_PATIENCE) { server.err.include?("begun") }
        # The other worker may not be there yet.
        workers = wait_until(PROCESS_PATIENCE) do
          pids = File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.map(&:to_i)
          pids.select { |pid| File.read("/proc/#{pid}/cmdline").include?("worker") }
            .then { |all| all if all.size == 2 }
        end
        workers.each { |pid| ::Process.kill(:STOP, pid) }
        port = URI(server.url).port
        queued = Array.new(8) { TCPSocket.new("127.0.0.1", port) } << UNIXSocket.new(path)
        queued.each { |socket| socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
        server.kill(:TERM)
        wait_until(PROCESS_PATIENCE) { !File.exist?(path) }
        workers.each { |pid| ::Process.kill(:CONT, pid) }
        wait_until(PROCESS_PATIENCE) { refused?(port) }
        assert_equal ["late"], queued.map { |socket| socket.read[/late/] }.uniq
        script "", "go"
        assert_equal "late", answer.value
        assert_equal 0, server.ended.exitstatus
      ensure
        queued&.each(&:close)
      end
    end

    def test_what_loads_for_ever_is_left_at_once
      script "$stderr.puts 'loads'; loop {}", "config.ru"
      %w[0 1].each do |processes|
        server = start(EXECUTABLE, "serve", "--json", "-p", "0", "--processes", processes,
          "--pidfile", "raffia.pid")
        wait_until(PROCESS_PATIENCE) { server.err.include?("loads") }
        server.kill(:INT)
        assert_equal 0, server.ended.exitstatus
        refute_path_exists File.join(@dir, "raffia.pid")
      ensure
        server&.finish
      end
    end

    def test_files_are_where_they_were_said_to_be_when_the_application_goes_elsewhere
      FileUtils.mkdir(File.join(@dir, "elsewhere"))
      script "Dir.chdir('elsewhere')\n#{PIDS}", "config.ru"
      %w[0 1].each do |processes|
        serve("-b", "tcp://127.0.0.1:0", "-b", "unix://a.sock", "--processes", processes,
          "--access-log", "access.log", "--log", "raffia.log") do |server|
          server.get
          wait_until(PROCESS_PATIENCE) { File.exist?(File.join(@dir, "access.log")) }
          FileUtils.mv(File.join(@dir, "raffia.log"), File.join(@dir, "raffia.log.1"))
          server.kill(:USR1)
          wait_until(PROCESS_PATIENCE) { File.exist?(File.join(@dir, "raffia.log")) }
          server.kill(:TERM)
          assert_equal 0, server.ended.exitstatus
          refute_path_exists File.join(@dir, "a.sock")
          assert_empty Dir.children(File.join(@dir, "elsewhere"))
        end
      end
    end

    def test_handlers_that_the_application_sets_do_not_keep_it_from_ending_as_it_should
      script "trap('TERM') { exit!(9) }\n#{PIDS}", "config.ru"
      [%w[--processes 0], %w[--processes 1], %w[--processes 1 --no-preload]].each do |how|
        serve(*how, pgroup: true) do |server|
          server.get
          ::Process.kill(:TERM, -server.pid) # systemd may be told to do so
          assert_equal 0, server.ended.exitstatus
          refute_match(/exited with status 9/, server.err)
        end
      end
    end

    def test_nohup
      serve("--processes", "0", command: ["-e", "trap('HUP', 'IGNORE'); exec(*ARGV)", RbConfig.ruby,
        "-I", File.join(ROOT, "lib"), EXECUTABLE, "serve", "--json"]) do |server|
        server.kill(:HUP)
        assert_equal "200", server.get.code
        server.kill(:TERM)
        assert_equal 0, server.ended.exitstatus
      end
    end

    def test_systemd_hears_of_one_process_as_well
      Socket.open(:UNIX, :DGRAM) do |systemd|
        systemd.bind(Addrinfo.unix(path = File.join(@dir, "notify")))
        serve("--processes", "0", "--metrics", "tcp://127.0.0.1:0",
          env: {"NOTIFY_SOCKET" => path, "WATCHDOG_USEC" => "1000000"}) do |server|
          hear = -> {
            if systemd.wait_readable(PROCESS_PATIENCE)
              systemd.recv(4096).lines(chomp: true)
            else
              flunk("systemd hears nothing")
            end
          }
          assert_equal ["READY=1", "STATUS=serves in one process", "MAINPID=#{server.pid}"],
            wait_until(PROCESS_PATIENCE) {
              hear.call
                .then { |said| said unless said == ["WATCHDOG=1"] }
            }
          assert_equal ["WATCHDOG=1"], hear.call
          server.kill(:TERM)
          wait_until(PROCESS_PATIENCE) { hear.call.first == "STOPPING=1" }
        end
      end
    end

    # Ctrl-C goes to all processes at once, and a terminal that is closed says HUP.
    def test_at_a_terminal
      script 'run ->(_env) { $stderr.puts "begun"; sleep(0.01) until File.exist?("go"); [200, ' \
        '{}, ["late"]] }', "config.ru"
      %w[0 2].each do |processes|
        at_terminal(processes) do |screen, keys, url|
          answer = Thread.new { Net::HTTP.get(URI(url)) }
          screen.expect(/begun/, PROCESS_PATIENCE)
          keys.write("\x03")
          screen.expect(/stopping/, PROCESS_PATIENCE) unless processes == "0"
          script "", "go"
          assert_equal "late", answer.value
        end
        at_terminal(processes) { |screen, keys, _| [screen, keys].each(&:close) }
        FileUtils.rm(File.join(@dir, "go"))
      end
    end

    def test_what_it_says_to_people
      server = start(EXECUTABLE, "serve", "-p", "0", "--processes", "0")
      wait_until(PROCESS_PATIENCE) { server.out.include?("Ctrl-C") }
      versions = /Raffia #{Regexp.escape(VERSION)} \(Ruby #{Regexp.escape(RUBY_VERSION)}.*\)/o
      assert_match(/\A#{versions} serves config\.ru in development$/, server.out)
      assert_match(%r{^  http://127\.0\.0\.1:\d+$}, server.out)
      assert_match(/^Ctrl-C stops it \(process #{server.pid}\)$/, server.out)
    ensure
      server&.finish
    end

    def test_several_addresses
      serve("-b", "tcp://127.0.0.1:0", "-b", "unix://a.sock?mode=0600", "--processes",
        "2") do |server|
        assert_equal 2, server.urls.size
        assert_equal "200", server.get.code
        UNIXSocket.open(File.join(@dir, "a.sock")) do |socket|
          socket.write("GET / HTTP/1.0\r\n\r\n")
          assert_match(/ 200 OK\r\n/, socket.read)
        end
        server.kill(:TERM)
        server.ended
        refute_path_exists File.join(@dir, "a.sock")
      end
    end

    def test_the_environment
      script 'run ->(_env) { [200, {}, [ENV.values_at("RACK_ENV", "RAILS_ENV").inspect]] }',
        "config.ru"
      serve("-e", "staging", "--processes", "0", env: {"RAILS_ENV" => "test"}) do |server|
        assert_equal '["staging", "staging"]', server.get.body
      end
      serve("--processes", "0", env: {"RAILS_ENV" => "test"}) do |server|
        assert_equal '["test", "test"]', server.get.body
      end
      serve("--processes", "0") do |server|
        assert_equal '["development", "development"]', server.get.body
      end
    end

    def test_port_and_processes_from_the_environment
      serve("-b", "tcp://127.0.0.1:0", env: {"WEB_CONCURRENCY" => "0"}) do |server|
        assert_equal server.pid, server.get.body.to_i
      end
      assert_equal 3000,
        JSON.parse(raffia("serve", "--check", "--json", env: {"PORT" => "3000"}).out)
          .dig("options", "port")
    end

    def test_settings_in_raffia_rb
      script <<~RUBY, "raffia.rb"
        bind "tcp://127.0.0.1:0"
        processes 1
        environment "production"
        before_fork { |index| $stderr.puts "before \#{index}" }
        after_fork { |index| $stderr.puts "after \#{index}" }
        on_stop { $stderr.puts "the end" }
      RUBY
      serve("-b", "tcp://127.0.0.1:0") do |server|
        assert_equal ["200", 1, "production", "raffia.rb"],
          [server.get.code, *server.facts.values_at("processes", "environment", "config")]
        server.kill(:TERM)
        server.ended
        assert_equal ["before 0", "after 0", "the end"],
          server.err.lines.map(&:chomp).grep(/\A(before|after|the end)/)
      end
      serve("-b", "tcp://127.0.0.1:0", "--processes", "0") do |server|
        assert_equal server.pid, server.get.body.to_i
      end
      serve("-b", "tcp://127.0.0.1:0", "--no-config") do |server|
        assert_equal "development", server.url && server.facts["environment"]
      end
    end

    def test_an_application_that_each_worker_loads
      script "$stderr.puts \"loaded in \#{Process.pid}\"\n#{PIDS}", "config.ru"
      serve("--processes", "2", "--no-preload") do |server|
        server.get
        wait_until(PROCESS_PATIENCE) { server.err.scan(/loaded in (\d+)/).flatten.uniq.size == 2 }
        refute_includes server.err, "loaded in #{server.pid}"
      end
    end

    def test_a_ruby_file_that_ends_with_an_application
      script "require 'json'\nhi = 'hi'\n->(env) { [200, {}, [hi, __FILE__]] }", "hello.rb"
      serve("hello.rb", "--processes", "0") do |server|
        assert_equal "hi#{File.realpath(File.join(@dir, "hello.rb"))}", server.get.body
      end
      FileUtils.rm(File.join(@dir, "config.ru"))
      FileUtils.mv(File.join(@dir, "hello.rb"), File.join(@dir, "app.rb"))
      serve("--processes", "0") { |server| assert_match(/\Ahi/, server.get.body) }
    end

    def test_a_port_in_use
      server = TCPServer.new("127.0.0.1", 0)
      port = server.local_address.ip_port
      [0, 2].each do |processes|
        ended = raffia("serve", "-b", "tcp://127.0.0.1:#{port}", "--processes", processes.to_s)
        assert_equal [1, ""], [ended.code, ended.out]
        address = "tcp://127.0.0.1:#{port}"
        assert_match(/\Araffia: cannot listen on #{Regexp.escape(address)}: the port is in use by /,
          ended.err)
        assert_match(/ by .* \(process #{::Process.pid}\)\. Stop that, or choose/, ended.err)
      end
    ensure
      server&.close
    end

    def test_what_is_wrong_is_said_in_a_sentence
      {
        %w[nowhere.ru] => /\Araffia: nowhere\.ru does not exist/,
        %w[.] => /\Araffia: \. is a folder: name the file in it/,
        %w[--prot 1] => /\Araffia: invalid option: --prot\. Did you mean --port\?/,
        %w[config.ru more] => /\Araffia: needless argument: more\./,
        %w[--port http] => /\Araffia: port "http" makes no sense: use a port/,
        %w[-b ftp://a:1] => %r{\Araffia: bind ftp://a:1 is no address: use tcp://},
        %w[-C none.rb] => /\Araffia: none\.rb does not exist/,
        %w[--tls-cert none.pem -p 0] => /\Araffia: ssl:.* has 1 certificates and 0 keys/
      }.each do |argv, message|
        ended = raffia("serve", *argv)
        assert_equal [2, ""], [ended.code, ended.out], argv.join(" ")
        assert_match(message, ended.err)
        assert_equal 1, ended.err.lines.size, ended.err
      end
    end

    def test_no_application
      FileUtils.rm(File.join(@dir, "config.ru"))
      ended = raffia("serve")
      assert_equal 2, ended.code
      assert_match(
        /\Araffia: there is no config\.ru here \(.*\), and no app\.rb: .*`raffia serve path/,
        ended.err
      )
    end

    def test_an_application_that_does_not_load
      {
        "raise 'boom'" =>
          /^config\.ru:1:.*boom \(RuntimeError\)|loading failed: config\.ru:1:.*boom/,
        "\ndef (" => /config\.ru:2: syntax error/,
        "require 'not/there'" => /cannot load such file -- not\/there \(LoadError\)/
      }.each do |source, message|
        script source, "config.ru"
        [%w[--check], %w[--processes 0], %w[--processes 2]].each do |argv|
          ended = raffia("serve", "-b", "tcp://127.0.0.1:0", *argv)
          assert_equal 1, ended.code
          assert_match message, ended.err
          refute_includes ended.err, "lib/raffia/cli", "our own frames"
        end
      end
    end

    def test_what_is_no_application
      {"run 1" => /config\.ru gives 1, which is no application/,
       "# nothing" => /missing run or map statement/}.each do |source, message|
        script source, "config.ru"
        assert_match message, raffia("serve", "--check").err
      end
    end

    def test_without_rack
      ended = ruby("--disable-gems", EXECUTABLE, "serve",
        env: {"GEM_HOME" => @dir, "GEM_PATH" => @dir})
      assert_equal 1, ended.code
      assert_match(/needs the gem rack >= 2\.2, which could not be loaded: add this line to /,
        ended.err)
      assert_match(/ to your Gemfile .*: gem "rack", ">= 2\.2"/, ended.err)
    end

    # Like a gem that was compiled without llhttp.
    def test_without_the_parser_of_http
      script 'require "raffia/native"; Raffia::Native.send(:remove_const, :HTTP1)', "without.rb"
      env = {"RUBYOPT" => "-r#{File.join(@dir, "without.rb")} -I#{ROOT}/lib"}
      says = /no HTTP server here, because Raffia's extension was compiled without llhttp: install/
      [%w[serve], %w[serve --check]].each do |words|
        ended = raffia(*words, env: env)
        assert_equal [1, 1], [ended.code, ended.err.lines.size], ended.err
        assert_match says, ended.err
      end
      ended = raffia("doctor", env: env)
      assert_match(/^  warn  HTTP server +there is none: llhttp was not found$/, ended.out)
      ended = raffia("doctor")
      assert_match(/^  ok    HTTP server +llhttp is compiled in$/, ended.out)
    end

    def test_check
      script "processes 3\nrequest_timeout 5", "raffia.rb"
      ended = raffia("serve", "--check", "-b", "unix://a.sock")
      assert_equal [0, ""], [ended.code, ended.err]
      assert_equal <<~TEXT, ended.out
        config.ru loads, and would be served in development by 3 worker processes at
          unix://a.sock
        Set (raffia.rb): request_timeout 5
      TEXT
      refute_path_exists File.join(@dir, "a.sock")
    end

    def test_init
      assert_equal 0, raffia("serve", "--init").code
      text = File.read(File.join(@dir, "raffia.rb"))
      assert_equal 0, raffia("serve", "--check").code
      words = text.scan(/^# ([a-z0-9_]+)(?: .*)?$/).flatten
      assert_empty Server::Settings.map { |row| row.name.to_s } - words -
        ["tls_cert", "tls_key"]
      ended = raffia("serve", "--init")
      assert_equal 2, ended.code
      assert_match(/there is a raffia\.rb here already/, ended.err)
      assert_equal text, File.read(File.join(@dir, "raffia.rb"))
    end

    # Every line with a setting is one that the file may have.
    def test_what_init_writes_may_be_uncommented
      FileUtils.mkdir(File.join(@dir, "public"))
      File.write(File.join(@dir, "public/503.html"), "<p>soon")
      raffia("serve", "--init")
      path = File.join(@dir, "raffia.rb")
      names = [*Server::Settings.names, *Server::Hooks::NAMES.keys].join("|")
      File.write(path,
        File.read(path).gsub(/^# ((?:#{names})(?: [^ ].*| \{ \}))$/) { |line|
          line.match?(/# \w+ (?:the|a|in|to|of) /) ? line : $1
        })
      File.write(path, File.read(path).gsub(/^tls .*$/, ""))
      ended = raffia("serve", "--check")
      assert_equal [0, ""], [ended.code, ended.err]
    end

    def test_a_socket_that_was_handed_in
      listening = TCPServer.new("127.0.0.1", 0)
      port = listening.local_address.ip_port
      serve("-b", "fd://9", "--processes", "2", 9 => listening) do |server|
        assert_equal ["http://127.0.0.1:#{port}", "200"], [server.url, server.get.code]
      end
    ensure
      listening&.close
    end

    # systemd passes the pid of the process that it starts, and descriptors from 3 on.
    def test_sockets_of_systemd
      web = TCPServer.new("127.0.0.1", 0)
      other = TCPServer.new("127.0.0.1", 0)
      script "run ->(_env) { [200, {}, [ENV.keys.grep(/LISTEN/).inspect]] }", "config.ru"
      program = <<~RUBY
        ENV.update("LISTEN_PID" => Process.pid.to_s, "LISTEN_FDS" => "2",
          "LISTEN_FDNAMES" => "web:other")
        exec(RbConfig.ruby, "-I", #{File.join(ROOT, "lib").inspect}, #{EXECUTABLE.inspect},
          "serve", "--json", "--processes", "2", *ARGV, 3 => 3, 4 => 4)
      RUBY
      serve("-b", "systemd:web", :command => ["-e", program, "--"], 3 => web,
        4 => other) do |server|
        assert_equal ["http://127.0.0.1:#{web.local_address.ip_port}"], server.url && server.urls
        assert_equal "[]", server.get.body
      end
      serve("-b", "systemd:", :command => ["-e", program, "--"], 3 => web, 4 => other) do |server|
        assert_equal 2, server.url && server.urls.size
      end
    ensure
      [web, other].each(&:close)
    end

    def test_a_pidfile
      %w[0 1].each do |processes|
        serve("--processes", processes, "--pidfile", "raffia.pid") do |server|
          server.get
          path = File.join(@dir, "raffia.pid")
          assert_equal server.pid, wait_until { File.exist?(path) && File.read(path) }.to_i
          server.kill(:TERM)
          server.ended
          refute_path_exists path
        end
      end
    end

    def test_HUP_serves_what_the_application_has_become
      serve("--processes", "2") do |server|
        script 'run ->(_env) { [200, {}, ["new"]] }', "config.ru"
        server.kill(:HUP)
        wait_until(PROCESS_PATIENCE) { server.get.body == "new" }
      end
    end

    # It is looked at every ten seconds.
    def test_a_worker_that_grows_is_replaced_and_no_request_is_lost
      script <<~RUBY, "config.ru"
        HOARD = []
        run ->(env) do
          case env["PATH_INFO"]
          when "/grow" then HOARD << "x" * (192 << 20)
          when "/slow" then sleep(0.01) until File.exist?("go")
          end
          [200, {}, [Process.pid.to_s]]
        end
      RUBY
      serve("--processes", "1", "--worker-memory", "160M") do |server|
        pid = server.get("/grow").body
        slow = Thread.new { server.get("/slow").body }
        clients = Array.new(3) { Thread.new { pids_until_another(server, pid) } }
        wait_until(PROCESS_PATIENCE) do
          server.err.match?(/worker 0 gets a successor: \d+ bytes \(PSS\), the limit is 167772160/)
        end
        found = clients.map(&:value)
        script "", "go"
        assert_equal pid, slow.value
        assert_equal [pid], found.flat_map { |all| all[..-2] }.uniq
        assert_equal 1, found.map(&:last).uniq.size
      end
    end

    [true, false].each do |preload|
      define_method(:"test_HUP_reads_raffia_rb_again_#{"without_" unless preload}preload") do
        script "run ->(_) { [200, {}, [$forked.to_s]] }", "config.ru"
        settings = "preload #{preload}\nlog \"raffia.log\"\n"
        script "#{settings}max_line 100\nafter_fork { $forked = 1 }", "raffia.rb"
        serve("--processes", "2") do |server|
          long = "/#{"x" * 200}"
          assert_equal ["414", "1"], [server.get(long).code, server.get.body]
          script "#{settings}max_line 1000\nafter_fork { $forked = 2 }\nbacklog " \
            "77\ndrain_timeout 7\nclient_connections 90", "raffia.rb"
          server.kill(:HUP)
          wait_until(PROCESS_PATIENCE) { Array.new(8) { server.get(long).body }.uniq == ["2"] }
          assert_match(/a restart does not change backlog, drain_timeout, client_connections: stop the server/,
            File.read(File.join(@dir, "raffia.log")))
          script "max_lime 1000", "raffia.rb"
          server.kill(:HUP)
          wait_until(PROCESS_PATIENCE) do
            File.read(File.join(@dir, "raffia.log"))
              .match?(/THE RESTART HAS FAILED|did you mean max_line/)
          end
          assert_equal "200", server.get(long).code
          # The new hooks know of the log, too.
          FileUtils.mv(File.join(@dir, "raffia.log"), File.join(@dir, "raffia.log.1"))
          server.kill(:USR1)
          wait_until(PROCESS_PATIENCE) { File.exist?(File.join(@dir, "raffia.log")) }
        end
      end
    end

    [0, 2].each do |processes|
      define_method(:"test_logs_are_opened_anew_by_#{processes}_processes") do
        serve("--processes", processes.to_s, "--access-log", "access.log", "--log",
          "raffia.log") do |server|
          server.get("/before")
          wait_until(PROCESS_PATIENCE) do
            File.read(File.join(@dir, "access.log")).include?("/before")
          end
          %w[access.log raffia.log].each do |name|
            FileUtils.mv(File.join(@dir, name), File.join(@dir, "#{name}.1"))
          end
          server.kill(:USR1)
          wait_until(PROCESS_PATIENCE) do
            File.exist?(File.join(@dir, "access.log")) && File.exist?(File.join(@dir, "raffia.log"))
          end
          wait_until(PROCESS_PATIENCE) do
            server.get("/after") && File.read(File.join(@dir, "access.log")).include?("/after")
          end
          assert_predicate server, :running?
        end
      end

      define_method(:"test_QUIT_shows_what_#{processes}_processes_are_at") do
        serve("--processes", processes.to_s) do |server|
          server.get
          server.kill(:QUIT)
          wait_until(PROCESS_PATIENCE) { server.err.include?("acceptor.rb") }
          assert_equal "200", server.get.code
        end
      end
    end

    def test_files_come_before_the_application
      FileUtils.mkdir_p([File.join(@dir, "public"), File.join(@dir, "more")])
      script "body { }", "public/a.css"
      script "mine", "more/a.css"
      script "other", "more/b.txt"
      serve("--processes", "0", "--static", "public", "--static", "more") do |server|
        assert_equal ["body { }", "text/css"],
          [server.get("/a.css").body, server.get("/a.css")["content-type"][/[^;]+/]]
        assert_equal "other", server.get("/b.txt").body
        assert_equal server.pid, server.get("/c.txt").body.to_i
      end
      assert_match(/nowhere/, raffia("serve", "--static", "nowhere").err)
    end

    def test_a_worker_is_replaced_after_so_many_requests
      serve("--processes", "1", "--worker-requests", "5") do |server|
        first = server.get.body
        wait_until(PROCESS_PATIENCE) do
          server.get.then { |response| response.code == "200" && response.body != first }
        end
      end
    end

    def test_early_hints_may_be_off
      script 'run ->(env) { [200, {}, [env.key?("rack.early_hints").to_s]] }', "config.ru"
      serve("--processes", "0", "--no-early-hints") do |server|
        assert_equal "false", server.get.body
      end
      serve("--processes", "0") { |server| assert_equal "true", server.get.body }
    end

    def test_an_access_log_that_cannot_be_written
      %w[0 1].each do |processes|
        ended = raffia("serve", "-p", "0", "--processes", processes, "--access-log",
          "nowhere/access.log")
        assert_equal [2, ""], [ended.code, ended.out]
        assert_match(%r{the log .*/nowhere/access\.log cannot be written}, ended.err)
      end
    end

    def test_a_log_of_its_own
      serve("--processes", "1", "--log", "raffia.log", "--log-format", "json") do |server|
        server.get
        server.kill(:TERM)
        server.ended
        assert_empty server.err
        assert_equal [server.pid], File.readlines(File.join(@dir, "raffia.log"))
          .map { |line| JSON.parse(line)["pid"] }.uniq
      end
    end

    private

    # On a connection that is kept as long as the server keeps it, and none of its requests is sent
    # twice.
    # @return [Array<String>] the last one is another's
    def pids_until_another(server, pid)
      found = []
      uri = URI(server.url)
      Net::HTTP.start(uri.host, uri.port, max_retries: 0, read_timeout: PROCESS_PATIENCE) do |http|
        found << http.get("/").body.tap { sleep(0.005) } until found.last && found.last != pid
      end
      found
    end

    def at_terminal(processes)
      screen, keys, pid = PTY.spawn(clean("PORT" => nil), RbConfig.ruby, "-W:no-experimental", "-I",
        File.join(ROOT, "lib"), EXECUTABLE, "serve", "--json",
        "-b", "tcp://127.0.0.1:0", "--processes", processes, chdir: @dir)
      url = JSON.parse(screen.expect(/^\{.*\}\r\n/, PROCESS_PATIENCE).first)["urls"].first
      screen.expect(/are ready/, PROCESS_PATIENCE) unless processes == "0"
      yield screen, keys, url
      status = Timeout.timeout(PROCESS_PATIENCE) { ::Process.wait2(pid) }.last
      pid = nil
      assert_equal 0, status.exitstatus
    ensure
      ::Process.kill(:KILL, pid) && ::Process.wait(pid) if pid
      [screen, keys].each { |io| io&.close unless io&.closed? }
    end
  end
end
