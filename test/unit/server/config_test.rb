# frozen_string_literal: true

require "test_helper"
require "raffia/server"

class ServerConfigTest < Raffia::TestCase
  def test_values
    variables = Raffia::Variables.new({"RAFFIA_BIND" => "tcp://a:1  unix:///b", "PORT" => "3000",
      "RAFFIA_PROCESSES" => "2", "WEB_CONCURRENCY" => "3", "RAILS_ENV" => "test",
      "XDG_RUNTIME_DIR" => "/run/user/1"})
    config = Raffia::Server::Config.load(variables)
    assert_equal({bind: %w[tcp://a:1 unix:///b], port: "3000", processes: "2", environment: "test",
      runtime_directory: "/run/user/1"}, config.to_h)
    assert Ractor.shareable?(config)
  end
end
