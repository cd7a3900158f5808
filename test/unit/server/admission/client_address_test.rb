# frozen_string_literal: true

require "test_helper"
require "raffia/server"

class ClientAddressTest < Raffia::TestCase
  ClientAddress = Raffia::Server::Admission::ClientAddress

  # Trusted proxies, peer, header => client.
  FORWARDED_FOR = {
    [[], "192.0.2.1", nil] => "192.0.2.1",
    [[], "192.0.2.1", "198.51.100.1"] => "192.0.2.1",
    [%w[10.0.0.0/8], "192.0.2.1", "198.51.100.1"] => "192.0.2.1",
    [%w[10.0.0.0/8], "10.1.1.1", "198.51.100.1"] => "198.51.100.1",
    [%w[10.0.0.0/8], "10.1.1.1", "6.6.6.6, 198.51.100.1"] => "198.51.100.1",
    [%w[10.0.0.0/8], "10.1.1.1", "198.51.100.1, 10.2.2.2"] => "198.51.100.1",
    [%w[10.0.0.0/8], "10.1.1.1", "198.51.100.1:4711"] => "198.51.100.1",
    [%w[10.0.0.0/8], "10.1.1.1", "[2001:db8:1:2:3::4]:4711"] => "2001:db8:1:2::",
    [%w[10.0.0.0/8], "10.1.1.1", "2001:db8:1:2:3::4"] => "2001:db8:1:2::",
    [%w[10.0.0.0/8], "10.1.1.1", "198.51.100.1, rubbish"] => "unknown",
    [%w[10.0.0.0/8], "10.1.1.1", nil] => nil,
    [%w[10.0.0.0/8], "10.1.1.1", "10.2.2.2"] => nil,
    [%w[fd00::/8 10.0.0.1], "fd00::7", "198.51.100.1,10.0.0.1"] => "198.51.100.1",
    [%w[10.0.0.0/8], "::ffff:10.1.1.1", "::ffff:198.51.100.1"] => "198.51.100.1",
    [%w[::ffff:10.0.0.0/104], "10.1.1.1", "198.51.100.1"] => "198.51.100.1",
    [%w[::ffff:10.0.0.0/104], "::ffff:10.1.1.1", "198.51.100.1"] => "198.51.100.1",
    [%w[::ffff:10.0.0.0/104], "192.0.2.1", "198.51.100.1"] => "192.0.2.1",
    [%w[::/0], "2001:db8::1", "198.51.100.1"] => "198.51.100.1",
    [[], "::ffff:192.0.2.1", nil] => "192.0.2.1",
    [[], "2001:db8:1:2:3::4", nil] => "2001:db8:1:2::"
  }.freeze

  def test_x_forwarded_for
    FORWARDED_FOR.each do |(trusted, peer, header), client|
      env = {"REMOTE_ADDR" => peer, "HTTP_X_FORWARDED_FOR" => header,
             "HTTP_FORWARDED" => "for=6.6.6.6"}.compact
      found = ClientAddress.new(trusted, :x_forwarded_for).of(env)
      client ? assert_equal(client, found, env.inspect) : assert_nil(found, env.inspect)
    end
  end

  # Header => client.
  FORWARDED = {
    "for=198.51.100.1" => "198.51.100.1", "For=\"198.51.100.1:80\";proto=https" => "198.51.100.1",
    "for=6.6.6.6, proto=http;by=1.1.1.1;for=198.51.100.1" => "198.51.100.1",
    "for=\"[2001:db8:1:2::3]:4711\"" => "2001:db8:1:2::", "for=unknown" => "unknown",
    "for=_hidden, for=10.0.0.2" => "unknown", "proto=https" => "unknown"
  }.freeze

  def test_forwarded
    FORWARDED.each do |header, client|
      env = {"REMOTE_ADDR" => "10.0.0.1", "HTTP_FORWARDED" => header,
             "HTTP_X_FORWARDED_FOR" => "6.6.6.6"}
      assert_equal client, ClientAddress.new(%w[10.0.0.0/8], :forwarded).of(env), header
    end
  end

  def test_peers_of_connections
    address = ClientAddress.new(%w[10.0.0.0/8], :x_forwarded_for)
    assert_nil address.of_peer("10.0.0.1")
    assert_equal "192.0.2.1", address.of_peer("192.0.2.1")
  end

  def test_networks_are_checked_at_the_start
    error = assert_raises(Raffia::ConfigError) do
      Raffia::Server.new(->(_) {}, trusted_proxies: "nginx")
    end
    assert_match(/trusted_proxies "nginx" is neither an address nor a network/, error.message)
  end

  def test_addresses_that_are_kept_are_bounded
    address = ClientAddress.new(%w[10.0.0.0/8], :x_forwarded_for)
    3_000.times { |number| address.of_peer("192.0.#{number / 256}.#{number % 256}") }
    assert_operator address.instance_variable_get(:@listed).size, :<=, 1024
    long = "6.6.6.6, " * 1_000
    3.times do |number|
      env = {"REMOTE_ADDR" => "10.0.0.1", "HTTP_X_FORWARDED_FOR" => "#{long}198.51.100.#{number}"}
      assert_equal "198.51.100.#{number}", address.of(env)
    end
    assert_empty address.instance_variable_get(:@clients)
  end
end
