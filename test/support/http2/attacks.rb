# frozen_string_literal: true

require_relative "connection"

module TestSupport
  module HTTP2
    # Attacks on servers of HTTP/2, each as bytes that one client sends after the handshake, again
    # and again. `last` is the greatest stream that was used before.
    module Attacks
      extend Frames

      GET = [[":method", "GET"], [":scheme", "http"], [":path", "/"], [":authority", "a"]].freeze
      POST = [[":method", "POST"], *GET.drop(1)].freeze
      HUGE = (1 << 31) - 1

      # @!attribute name [String]
      # @!attribute known_as [String] CVE or RFC
      # @!attribute limit [String] of the server, for the documentation
      # @!attribute errors [Array<Symbol>] of its GOAWAY; empty: the connection may go on
      # @!attribute settings [Hash] of the client
      # @!attribute burst [#call] bytes of one round; gets the next stream's id
      # @!attribute streams [Integer] how many a round uses
      Attack = Struct.new(:name, :known_as, :limit, :errors, :settings, :burst, :streams) do
        # Sends rounds until the server has ended the connection, at most `rounds`.
        def run(client, rounds: 40)
          rounds.times do |round|
            client.write(burst.call(round * streams * 2 + 1))
            client.ping_pong # so that it knows which streams have been reset
          end
        rescue Connection::Closed
          nil
        end
      end

      ALL = []

      def self.add(name, known_as, limit, errors = [:enhance_your_calm], settings: {}, streams: 0,
        &burst)
        ALL << Attack.new(name:, known_as:, limit:, errors:, settings:, burst:, streams:)
      end

      # Many frames, one after the other.
      def self.many(count, &) = Array.new(count, &).join

      def self.request(id, fields = GET, **) = headers(id, fields, **)

      def self.post(id) = headers(id, POST, flags: [:end_headers])

      add("rapid reset", "CVE-2023-44487, CVE-2019-9514",
        "1,000 resets and 33 a second; before the application has begun one counts as 5",
        streams: 200) do |id|
        many(200) { |n| request(id + n * 2).to_s + rst_stream(id + n * 2).to_s }
      end

      add("resets that the server is made to send, by windows that overflow", "CVE-2025-8671",
        "200 such resets and 10 a second", streams: 50) do |id|
        many(50) { |n| post(id + n * 2).to_s + window_update(id + n * 2, HUGE).to_s }
      end

      add("resets that the server is made to send, by malformed requests", "CVE-2025-8671",
        "200 such resets and 10 a second", streams: 50) do |id|
        many(50) { |n| request(id + n * 2, GET + [%w[X-Upper 1]]) }
      end

      add("resets that the server is made to send, by bodies of another length", "CVE-2025-8671",
        "200 such resets and 10 a second", streams: 50) do |id|
        many(50) do |n|
          headers(id + n * 2, POST + [%w[content-length 1]], flags: [:end_headers]).to_s +
            data(id + n * 2, "more").to_s
        end
      end

      add("names of no bytes", "CVE-2019-9516", "malformed, so the same", streams: 50) do |id|
        many(50) { |n| request(id + n * 2, GET + [["", ""]] * 4) }
      end

      add("streams over the limit", "CVE-2019-9514", "refused, and the connection ends",
        [:protocol_error, :enhance_your_calm], streams: 1200) do |id|
        many(1200) { |n| post(id + n * 2) }
      end

      add("CONTINUATION flood", "CVE-2024-27316, CVE-2024-28182", "8 for each block",
        streams: 1) do |id|
        request(id, GET, flags: [:end_stream]).to_s + many(20) { continuation(id, "", flags: []) }
      end

      add("a block without an end", "CVE-2024-27316", "twice `max_head`, as it is sent",
        streams: 1) do |id|
        request(id, GET, flags: [:end_stream]).to_s + many(8) do |n|
          continuation(id, [["x-#{n}", "v" * 16_000]], flags: [])
        end
      end

      add("HPACK bomb", "CVE-2016-6581",
        "four times `max_head`, at least 64 KiB, of the decoded fields; from `max_head` on 431",
        streams: 2) do |id|
        entry = HPACK.literal("x-large", "v" * 3900, form: :incremental)
        many(2) do |n|
          headers(id + n * 2, HPACK.encode(GET) << entry << HPACK.indexed(62) * 10_000)
        end
      end

      add("PING flood", "CVE-2019-9512", "100 and 10 a second") { many(500) { ping } }

      add("SETTINGS flood", "CVE-2019-9515", "100 and 10 a second") do
        many(500) { settings(initial_window_size: 65_535) }
      end

      add("DATA of no bytes", "CVE-2019-9518", "100 in a row; 1,000 and 50 a second",
        streams: 1) { |id| post(id).to_s + many(500) { data(id, "", flags: []) } }

      add("DATA of padding alone", "CVE-2019-9518", "100 in a row; 1,000 and 50 a second",
        streams: 1) do |id|
        post(id).to_s + many(500) { frame(:data, id, "\x09#{"\0" * 9}", flags: [:padded]) }
      end

      add("PRIORITY in circles", "CVE-2019-9513", "10 for each stream, and 200 and 20 a second") do
        many(500) { |n| priority(1 + n % 3 * 2, 1 + (n + 1) % 3 * 2) }
      end

      add("PRIORITY_UPDATE flood", "RFC 9218, 12",
        "10 for each stream, and 200 and 20 a second") do
        many(500) { |n| priority_update(n % 100 * 2 + 1, "u=#{n % 8}") }
      end

      add("frames of unknown types", "CVE-2019-9513",
        "10 for each stream, and 200 and 20 a second") { many(500) { frame(0x55, 0, "?" * 100) } }

      add("long frames of unknown types", "nginx's check for floods",
        "8 bytes for each of requests and responses, and 8 MiB", streams: 10) do |id|
        many(10) { |n| request(id + n * 2).to_s + many(10) { frame(0x55, 0, "?" * 16_000) } }
      end

      add("WINDOW_UPDATE dribble", "CVE-2019-9511",
        "1,000, and 10 for each stream and DATA frame that was sent") do
        many(2000) { window_update(0, 1) }
      end
    end
  end
end
