# frozen_string_literal: true

require "test_helper"
require "pathname"
require "raffia/server"

module Raffia
  class ServerOptionsTest < TestCase
    NOTHING_SET = Server::Config.load(Variables.new({}))

    def test_they_may_go_to_ractors
      assert Ractor.shareable?(build(bind: ["tcp://[::]:0"], tls_cert: ["a.pem"], tag: +"x"))
      assert Ractor.shareable?(Server::Settings)
    end

    def test_values_are_read_from_text_as_from_a_program
      {
        idle_timeout: {"30" => 30, 30 => 30, 0.5 => 0.5, "0.5" => 0.5, "2m" => 120, "500ms" => 0.5,
                       "1.5 h" => 5400.0, nil => nil, "off" => nil, false => nil},
        max_body: {"64k" => 65_536, "50MB" => 50 << 20, 10 => 10, "1.5k" => 1536, "1g" => 1 << 30,
                   "unlimited" => nil},
        processes: {"auto" => :auto, :auto => :auto, 0 => 0, "4" => 4, "2..16" => 2..16,
                    2..16 => 2..16, "2...17" => 2..16, 3..3 => 3},
        threads: {5 => 5, "3..16" => 3..16, "4..4" => 4}, shrink_after: {"5m" => 300, "off" => nil},
        preload: {true => true, "off" => false, "yes" => true},
        log_format: {"json" => :json, :json => :json},
        bind: {"tcp://a:1" => ["tcp://a:1"], ["fd://3", "fd://4"] => ["fd://3", "fd://4"]},
        access_log: {true => "-", "-" => "-", "log/a.log" => File.expand_path("log/a.log"),
                     false => nil, "off" => nil},
        pidfile: {Pathname("a/b") => File.expand_path("a/b"), "off" => nil}
      }.each do |name, values|
        values.each do |given, read|
          assert_equal [read], [build(name => given).public_send(name)], "#{name} #{given.inspect}"
        end
      end
    end

    def test_invalid_values_are_refused
      {
        processes: [-1, "many", 1.5, "", "0..2", "3..2", "2..", 2.., "2..257", "a".."b"],
        threads: [0, "0..5", "5..1001", "auto"], port: [70_000, "http"],
        idle_timeout: ["soon", 0, -1, Float::INFINITY, "5 parsecs"],
        head_timeout: ["9" * 400, "#{"9" * 307}h"], max_line: ["#{"9" * 400}k"],
        max_headers: [0, -4, "a few"], max_body: ["big", 0], preload: ["maybe"],
        log_format: ["xml"], tag: [""], tls_min: ["1.0"]
      }.each do |name, values|
        values.each do |value|
          assert_refused(/\A#{name} #{Regexp.escape(value.inspect)} makes no sense: use|say/) do
            build(name => value)
          end
        end
      end
    end

    def test_a_name_that_does_not_exist_is_guessed
      assert_refused("there is no option proceses: did you mean processes?") { build(proceses: 2) }
      assert_refused("there is no option xyzzyx") { build(xyzzyx: 2) }
    end

    def test_the_environment_gives_defaults
      config = Server::Config.load(Variables.new({"PORT" => "3000", "WEB_CONCURRENCY" => "3",
        "RACK_ENV" => "production"}))
      options = Server::Options.build({}, config: config)
      assert_equal [3000, 3, "production"], [options.port, options.workers, options.environment]
      assert_equal 4000, Server::Options.build({port: 4000}, config: config).port
      assert_equal "ssl://[::]:3000", Server::Options.build({tls: :self_signed}, config: config)
        .binds.join(" ")
      assert_equal %w[tcp://a:1 unix:///b],
        Server::Options.build({},
          config: Server::Config.load(Variables.new({"RAFFIA_BIND" => "tcp://a:1 unix:///b"})))
          .bind
    end

    def test_our_names_go_before_those_of_others
      config = Server::Config.load(Variables.new({"PORT" => "1", "RAFFIA_PORT" => "2",
        "WEB_CONCURRENCY" => "3",
        "RAFFIA_PROCESSES" => "auto", "RAILS_ENV" => "test", "RACK_ENV" => ""}))
      options = Server::Options.build({}, config: config)
      assert_equal [2, :auto, "test"], [options.port, options.processes, options.environment]
    end

    def test_invalid_environment_variables_are_refused
      assert_refused(/\Aport "http" makes no sense/) do
        Server::Options.build({}, config: Server::Config.load(Variables.new({"PORT" => "http"})))
      end
    end

    def test_where_it_listens_when_nothing_is_said
      assert_equal "tcp://localhost:9292", build.binds.join(" ")
      assert_equal "tcp://[::]:9292", build(environment: "production").binds.join(" ")
      assert_equal "tcp://10.0.0.1:80", build(host: "10.0.0.1", port: 80).binds.join(" ")
      assert_equal "tcp://[::1]:80", build(host: "::1", port: 80).binds.join(" ")
    end

    def test_how_many_processes_there_are
      assert_equal Executor::Cpus.count, build.workers
      assert_equal 0, build(processes: 0).workers
    end

    private

    def build(**given) = Server::Options.build(given, config: NOTHING_SET)
  end
end
