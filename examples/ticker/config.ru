# frozen_string_literal: true

# Prices that move, over server-sent events: a browser's EventSource reads them, and comes back by
# itself when it has lost them.
#
#     bin/raffia serve examples/ticker/config.ru
#
# and then http://localhost:9292 shows them move. A browser that comes back says the id of the last
# event it has seen, and gets what it missed.

require "raffia/server/event_stream"
require "json"

PAGE = File.read(File.join(__dir__, "page.html"))

# Prices of nothing: each tick is computed from its number, so every process and every reader sees
# the same ones.
module Ticks
  NAMES = %w[Raffia Jute Sisal Hemp].freeze
  EVERY = 0.5

  module_function

  def now = (Time.now.to_f / EVERY).floor

  def prices(number)
    NAMES.each_with_index.to_h do |name, index|
      wave = [7, 23, 61].sum do |length|
        Math.sin((number + (index * 17)) / length.to_f) * length / 30
      end
      [name, (100 + (10 * index) + wave).round(2)]
    end
  end
end

run lambda { |env|
  case env["PATH_INFO"]
  when "/" then [200, {"content-type" => "text/html; charset=utf-8"}, [PAGE]]
  when "/ticks"
    Raffia::Server::EventStream.open(env, retry: 1) do |stream|
      # The last minute, or what was missed of it.
      tick = [stream.last_event_id.to_i + 1, Ticks.now - 120].max
      loop do
        sleep(0.05) until tick <= Ticks.now
        stream.write(JSON.generate(Ticks.prices(tick)), event: "tick", id: tick)
        tick += 1
      end
    end
  else [404, {"content-type" => "text/plain"}, ["not here\n"]]
  end
}
