# frozen_string_literal: true

require "test_helper"
require "raffia/server"

module Raffia
  class ServerBindTest < TestCase
    SAME = {
      "tcp://127.0.0.1:80" => "tcp://127.0.0.1:80", "127.0.0.1:80" => "tcp://127.0.0.1:80",
      "localhost:80" => "tcp://localhost:80",
      "http://a.b:80/" => "tcp://a.b:80", "tcp://[::1]:0" => "tcp://[::1]:0",
      "[::]:1" => "tcp://[::]:1", ":1" => "tcp://[::]:1",
      "tcp://*:1" => "tcp://[::]:1", "ssl://a:1" => "ssl://a:1", "https://a:1" => "ssl://a:1",
      "tcp://a:1?self_signed=1" => "ssl://a:1",
      "unix:///run/a b.sock" => "unix:///run/a b.sock", "unix://a.sock" => "unix://a.sock",
      "unix:/a.sock" => "unix:///a.sock",
      "fd://3" => "fd://3", "systemd:" => "systemd:", "systemd:web" => "systemd:web",
      "systemd://web" => "systemd:web"
    }.freeze

    SAME.each do |text, meant|
      define_method(:"test_#{text}_is_#{meant}") do
        assert_equal meant, Server::Listen::Bind.parse(text).to_s
      end
    end

    ["", "9292", "tcp://", "tcp://a", "tcp://a:", "tcp://a:b", "tcp://a:99999", "tcp://a:1/path",
      "ftp://a:1", "fd://x", "unix://", "tcp://[::1", "tcp://::1:80"].each do |text|
      define_method(:"test_#{text.inspect}_is_none") do
        assert_refused(/\Abind #{Regexp.escape(text)}/) { Server::Listen::Bind.parse(text) }
      end
    end

    def test_parameters
      bind =
        Server::Listen::Bind.parse(
          "ssl://a:1?cert=a.pem&key=a.key&cert=b%20c.pem&key=b.key&proxy=1&backlog=5"
        )
      assert_equal [%w[a.pem b\ c.pem], %w[a.key b.key], "5", true],
        [bind.params[:cert], bind.params[:key], bind.param(:backlog), bind.proxy?]
      assert Ractor.shareable?(bind)
      refute_predicate Server::Listen::Bind.parse("tcp://a:1?proxy=0"), :proxy?
      refute_predicate Server::Listen::Bind.parse("tcp://a:1"), :proxy?
    end

    def test_an_unknown_parameter_is_guessed
      assert_refused(
        Regexp.new('\Abind unix:///a\?mod=1: there is no parameter mod, did you mean mode; ' \
          "there are backlog, ")
      ) { Server::Listen::Bind.parse("unix:///a?mod=1") }
    end
  end
end
