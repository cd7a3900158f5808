# frozen_string_literal: true

# A chat over WebSockets: who has the page open is in the room.
#
#     bin/raffia serve examples/chat/config.ru --processes 1
#
# One process, because the room is in its memory; with more, have the messages travel through Redis or PostgreSQL. Wants the gem
# websocket-driver.

require "raffia/server/websocket"
require "json"

PAGE = File.read(File.join(__dir__, "page.html"))

# Everybody who is here, and the last messages for who comes later. All of it happens in the fibers of one thread.
class Room
  LAST = 50

  def initialize
    @sockets = {}.compare_by_identity
    @messages = []
  end

  def enter(socket)
    @sockets[socket] = true
    @messages.each { |message| socket.write(message) }
    tell_count
    socket.each { |text| say(text) }
  ensure
    @sockets.delete(socket)
    tell_count
  end

  private

  def say(text)
    name, words = JSON.parse(text).values_at("name", "text").map { |value| value.to_s.strip }
    return if words.empty?

    message = JSON.generate(name: name.empty? ? "somebody" : name[0, 40], text: words[0, 2_000], at: Time.now.to_i)
    @messages = [*@messages, message].last(LAST)
    broadcast(message)
  rescue JSON::ParserError
    nil # no page of ours
  end

  def tell_count = broadcast(JSON.generate(here: @sockets.size))

  # Never waits: who reads too slowly misses some, and the others do not.
  def broadcast(message) = @sockets.each_key { |socket| socket.push(message) }
end

room = Room.new

run lambda { |env|
  case env["PATH_INFO"]
  when "/" then [200, {"content-type" => "text/html; charset=utf-8"}, [PAGE]]
  when "/room" then Raffia::Server::WebSocket.open(env, max_message: 16 * 1024) { |socket| room.enter(socket) }
  else [404, {"content-type" => "text/plain"}, ["not here\n"]]
  end
}
