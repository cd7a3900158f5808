# frozen_string_literal: true

require "test_helper"
require "raffia/base"

class ConfigTest < Raffia::TestCase
  def test_defaults
    config = Raffia::Config.load({})
    assert_equal({backend: nil, log_level: :warn, log_format: :text, workers: nil,
      blocking_threads: nil, color: :auto, dump_signal: nil,
                  deadlock: :raise, bind: nil, port: nil, processes: nil, environment: nil,
                  store: nil, redis_url: nil, web_auth: nil, compat: nil, top: :off,
                  runtime_dir: nil, processors: nil, yjit: true, inherited: {}, notify_socket: nil,
                  watchdog: nil}, config.to_h)
    assert_predicate config, :frozen?
    assert Ractor.shareable?(config) if defined?(Ractor)
  end

  def test_values
    config = Raffia::Config.load("RAFFIA_BACKEND" => "epoll", "RAFFIA_LOG" => "debug",
      "RAFFIA_LOG_FORMAT" => "json",
      "RAFFIA_WORKERS" => "4", "RAFFIA_BLOCKING_THREADS" => "9", "RAFFIA_COLOR" => "always",
      "RAFFIA_DUMP_SIGNAL" => "SIGUSR2", "RAFFIA_DEADLOCK" => "report")
    assert_equal({backend: :epoll, log_level: :debug, log_format: :json, workers: 4,
      blocking_threads: 9, color: :always, dump_signal: :USR2,
                  deadlock: :report}, config.to_h
                    .except(:bind, :port, :processes, :environment, :store, :redis_url, :web_auth,
                      :compat, :top, :runtime_dir, :processors, :yjit, :inherited, :notify_socket,
                      :watchdog))
  end

  def test_passwords_are_not_shown
    config = Raffia::Config.load("RAFFIA_WEB_AUTH" => "ada:secret",
      "REDIS_URL" => "redis://:secret@localhost")
    assert_equal ["ada:secret", "redis://:secret@localhost"], [config.web_auth, config.redis_url]
    refute_match(/secret/, config.inspect)
  end

  def test_layers_of_compat
    assert_equal %i[parallel evt], Raffia::Config.load("RAFFIA_COMPAT" => "parallel, evt").compat
    assert_nil Raffia::Config.load("RAFFIA_COMPAT" => "").compat
  end

  def test_what_a_server_reads
    config = Raffia::Config.load("RAFFIA_BIND" => "tcp://a:1  unix:///b", "PORT" => "3000",
      "RAFFIA_PROCESSES" => "2", "WEB_CONCURRENCY" => "3", "RAILS_ENV" => "test")
    assert_equal [%w[tcp://a:1 unix:///b], "3000", "2", "test"],
      [config.bind, config.port, config.processes, config.environment]
    assert Ractor.shareable?(config) if defined?(Ractor)
  end

  def test_sockets_of_systemd
    handed_in = {"LISTEN_FDS" => "3", "LISTEN_PID" => Process.pid.to_s,
                 "LISTEN_FDNAMES" => "web:admin"}
    assert_equal({3 => "web", 4 => "admin", 5 => "unknown"},
      Raffia::Config.load(handed_in).inherited)
    assert_empty Raffia::Config.load(handed_in.merge("LISTEN_PID" => "1")).inherited,
      "meant for another process"
    assert_empty Raffia::Config.load(handed_in.merge("LISTEN_FDS" => "")).inherited
  end

  def test_notices_to_systemd
    config = Raffia::Config.load("NOTIFY_SOCKET" => "/run/x", "WATCHDOG_USEC" => "1500000",
      "WATCHDOG_PID" => Process.pid.to_s)
    assert_equal ["/run/x", 1.5], [config.notify_socket, config.watchdog]
    assert_nil Raffia::Config.load("WATCHDOG_USEC" => "1500000", "WATCHDOG_PID" => "1").watchdog
    assert_nil Raffia::Config.load("WATCHDOG_USEC" => "0").watchdog
  end

  def test_the_environment_of_an_application_is_told_to_it
    env = {"RAILS_ENV" => "test", "RACK_ENV" => "", "LISTEN_FDS" => "1", "HOME" => "/"}
    Raffia.export_environment("production", env)
    assert_equal({"RACK_ENV" => "production", "RAILS_ENV" => "test", "HOME" => "/"}, env)
    Raffia.export_environment("production", env, force: true)
    assert_equal "production", env["RAILS_ENV"]
  end

  def test_empty_is_unset
    assert_equal Raffia::Config.load({}),
      Raffia::Config.load("RAFFIA_BACKEND" => "", "RAFFIA_WORKERS" => "", "NO_COLOR" => "")
  end

  def test_no_color
    assert_equal :never, Raffia::Config.load("NO_COLOR" => "1").color
    assert_equal :always, Raffia::Config.load("NO_COLOR" => "1", "RAFFIA_COLOR" => "always").color
  end

  def test_bad_values
    {"RAFFIA_BACKEND" => "epol", "RAFFIA_LOG" => "loud", "RAFFIA_LOG_FORMAT" => "xml",
     "RAFFIA_COLOR" => "blue", "RAFFIA_DEADLOCK" => "panic"}.each do |name, value|
      error = assert_raises(Raffia::ConfigError) { Raffia::Config.load(name => value) }
      assert_match(/#{name}=#{value}.*use one of/, error.message)
    end
    %w[0 -1 1.5 many 08].each do |value|
      assert_raises(Raffia::ConfigError, value) { Raffia::Config.load("RAFFIA_WORKERS" => value) }
    end
  end

  def test_signals
    assert_equal :off, Raffia::Config.load("RAFFIA_DUMP_SIGNAL" => "off").dump_signal
    %w[NONESUCH EXIT usr2].each do |name|
      assert_raises(Raffia::ConfigError, name) { Raffia::Config.load("RAFFIA_DUMP_SIGNAL" => name) }
    end
  end

  def test_reads_the_environment_when_asked
    assert_instance_of Raffia::Config, Raffia.config
  end

  def test_clock
    value, seconds = Raffia::Clock.measure { :value }
    assert_equal :value, value
    assert_operator seconds, :>=, 0
    assert_operator Raffia::Clock.now, :<=, Raffia::Clock.now
  end
end
