# frozen_string_literal: true

require_relative "server_contract"

# Limits of one client: requests a second, and connections.
module ServerClientLimitsTest
  App = ->(_) { [200, {"content-type" => "text/plain"}, ["ok"]] }
  # Answers up to the first 429. However slow the machine is, a hundred come faster than the rate.
  def until_refused
    answers = []
    answers << yield until answers.size == 100 || answers.last&.status == 429
    assert_equal [200, 200, 200], answers.map(&:status).first(3)
    assert_equal 429, answers.last.status
    answers
  end

  def counted(server, name)
    Raffia::Server::Observability::Metrics::Totals.new(server.counters.memory, [::Process.pid])
      .counted(name)
  end

  SLOW_RATE = {client_rate: 1, client_burst: 3}.freeze

  def test_a_client_over_its_rate_gets_429
    serve(App, client_rate: 1, client_burst: 3, trusted_proxies: %w[127.0.0.0/8]) do |server|
      client = server.connect
      answers = until_refused { client.get("/", "x-forwarded-for": "198.51.100.1") }
      refused = answers.last
      assert_equal ["Too Many Requests\n", "1"], [refused.body, refused["retry-after"]]
      assert_equal 200, client.get("/", "x-forwarded-for": "198.51.100.2").status, "another client"
      assert_equal [200], Array.new(6) { client.get("/").status }.uniq, "the proxy itself"
      assert_equal 1, counted(server, :clients_limited)
    end
  end

  def test_untrusted_headers_do_not_hide_a_client
    serve(App, **SLOW_RATE) do |server|
      number = 0
      until_refused { server.get("/", "x-forwarded-for": "6.6.6.#{number += 1}") }
    end
  end

  def test_the_address_of_a_proxy_header_counts
    serve(App, bind: "tcp://127.0.0.1:0?proxy=true", **SLOW_RATE) do |server|
      %w[198.51.100.1 198.51.100.2].each do |address|
        until_refused do
          server.connect do |client|
            client.say("PROXY TCP4 #{address} 10.0.0.1 4711 80\r\n").get("/")
          end
        end
      end
    end
  end

  def test_connections_of_a_client
    serve(App, client_connections: 2) do |server|
      first, second = Array.new(2) { server.connect }
      [first, second].each { |client| assert_equal 200, client.get("/").status }
      third = server.connect
      answer = third.answer
      assert_equal [429, "1", "close"], [answer.status, answer["retry-after"], answer["connection"]]
      assert_predicate third, :ended?
      assert_equal 1, counted(server, :connections_limited)
      first.close
      eventually { server.connections == 1 }
      assert_equal 200, server.get("/").status
    end
  end

  def test_connections_by_the_address_of_a_proxy_header
    serve(App, bind: "tcp://127.0.0.1:0?proxy=true", client_connections: 1) do |server|
      proxied = lambda do |address|
        server.connect.say("PROXY TCP4 #{address} 10.0.0.1 4711 80\r\n")
      end
      assert_equal 200, proxied.call("198.51.100.1").get("/").status
      assert_equal 200, proxied.call("198.51.100.2").get("/").status
      assert_equal 429, proxied.call("198.51.100.1").answer.status
    end
  end

  def test_connections_of_a_trusted_proxy_are_not_limited
    serve(App, client_connections: 1, trusted_proxies: %w[127.0.0.1]) do |server|
      clients = Array.new(4) { server.connect }
      assert_equal [200], clients.map { |client| client.get("/").status }.uniq
    end
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self)
end
