# frozen_string_literal: true

require_relative "../model"
require_relative "support/site"

Simulations.of "server/timeout", covers: %w[server/http1/connection server/connection
  server/http/input], preempt: :none, max_steps: 100_000 do
  model "a connection without requests ends after idle_timeout, not before", runs: 20 do
    limit = 5 * (1 + choose(12))
    site = Simulations::Site.new(sim, idle_timeout: limit)
    site.visits(1 + choose(3), wait: -> { choose(30) }) do |client, number|
      last = sim.now
      choose(4).times do |index|
        sleep(limit * (1 + choose(9)) / 10.0)
        client.request("/#{number}/#{index}")
        check_equal("/#{number}/#{index}", client.response&.body, "body")
        last = sim.now
      end
      check_equal(nil, client.response, "what the server sends in the end")
      check(same_time?(sim.now, last + limit), "ended after #{sim.now - last} of #{limit} s")
    end
    site.drain
  end

  model "a head that is not complete within head_timeout is refused with 408", runs: 30 do
    limit = 2 + choose(20)
    site = Simulations::Site.new(sim, head_timeout: limit)
    site.visits(1 + choose(3)) do |client, number|
      choose(2).times do
        client.request("/before")
        check_equal(200, client.response.status, "status of the first request")
      end
      sleep(choose(60))
      text = Simulations::Client.text("/#{number}")
      pieces = 1 + choose(5)
      size = text.bytesize.fdiv(pieces).ceil
      begun = sim.now
      text.bytes.each_slice(size).with_index do |bytes, index|
        sleep(limit * (1 + choose(9)) / 10.0) if index.positive?
        break if sim.now > begun + limit

        client.write(bytes.pack("C*"))
      end
      took = sim.now - begun
      response = client.response
      next if same_time?(took, limit) # both happen at one time

      if took < limit
        check_equal([200, "/#{number}"], [response.status, response.body], "head of #{took} s")
      else
        check_equal([408, true], [response.status, response.close?], "head of #{took} s")
        check_equal(nil, client.response, "what follows a 408")
      end
    end
    site.drain
  end

  model "a refusal of a slow head comes at head_timeout", runs: 20 do
    limit = 2 + choose(20)
    site = Simulations::Site.new(sim, head_timeout: limit)
    site.visits(1) do |client|
      begun = sim.now
      writer = Thread.new do
        Simulations::Client.text("/a/long/path").each_char do |char|
          client.write(char)
          sleep((10 + choose(20)) / 10.0)
        end
      rescue SystemCallError, IOError
        nil # it has been refused
      end
      response = client.response
      took = sim.now - begun
      check_equal([408, true], [response&.status, response&.close?], "response")
      check(same_time?(took, limit), "it came after #{took} of #{limit} s")
      client.close
      writer.join
    end
    check_equal([], site.paths, "calls of the application")
    site.drain
  end

  model "a body may take minutes, but no piece of it longer than body_timeout", runs: 20 do
    limit = 10
    site = Simulations::Site.new(sim, body_timeout: limit)
    site.visits(1 + choose(3)) do |client, number|
      pieces = Array.new(1 + choose(20)) { |index| "#{number}:#{index} " }
      pauses = pieces.map { (1 + choose(98)) / 10.0 }
      late = one_of(nil, choose(pieces.size))
      pauses[late] = limit + 5 if late
      client.request("/#{number}", "", size: pieces.join.size)
      begun = sim.now
      pieces.zip(pauses) do |piece, pause|
        sleep(pause)
        break if pause > limit

        client.write(piece)
      end
      response = client.response
      if late
        check_equal([408, true], [response.status, response.close?], "response")
      else
        check_equal(200, response.status, "a body of #{sim.now - begun} s")
        call = site.calls.find { |one| one.path == "/#{number}" }
        check_equal(pieces.join, call.body, "body")
      end
    end
    site.drain
  end
end
