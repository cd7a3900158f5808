# frozen_string_literal: true

require "test_helper"
require "raffia/service"

class ServiceConfigTest < Raffia::TestCase
  def load(env) = Raffia::Service::Config.load(Raffia::Variables.new(env))

  def test_sockets_of_systemd
    handed_in = {"LISTEN_FDS" => "3", "LISTEN_PID" => Process.pid.to_s,
                 "LISTEN_FDNAMES" => "web:admin"}
    assert_equal({3 => "web", 4 => "admin", 5 => "unknown"}, load(handed_in).inherited)
    assert_empty load(handed_in.merge("LISTEN_PID" => "1")).inherited, "meant for another process"
    assert_empty load(handed_in.merge("LISTEN_FDS" => "")).inherited
  end

  def test_notices_to_systemd
    config = load("NOTIFY_SOCKET" => "/run/x", "WATCHDOG_USEC" => "1500000",
      "WATCHDOG_PID" => Process.pid.to_s)
    assert_equal ["/run/x", 1.5], [config.notify_socket, config.watchdog]
    assert_nil load("WATCHDOG_USEC" => "1500000", "WATCHDOG_PID" => "1").watchdog
    assert_nil load("WATCHDOG_USEC" => "0").watchdog
    assert Ractor.shareable?(config)
  end

  def test_the_environment_of_an_application_is_exported
    env = {"RAILS_ENV" => "test", "RACK_ENV" => "", "LISTEN_FDS" => "1", "HOME" => "/"}
    Raffia::Service.export_environment("production", env)
    assert_equal({"RACK_ENV" => "production", "RAILS_ENV" => "test", "HOME" => "/"}, env)
    Raffia::Service.export_environment("production", env, force: true)
    assert_equal "production", env["RAILS_ENV"]
  end
end
