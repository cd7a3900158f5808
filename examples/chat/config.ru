# frozen_string_literal: true

# A chat over WebSockets, of two kinds of actors: the room, which knows who is here and what was
# said, and for each open page a guest.
#
#     bin/raffia serve examples/chat/config.ru --processes 1
#
# and then http://localhost:9292 in two windows. One process, because the room is in its memory; for
# more of them the room is a program of its own, which they ask through a socket:
#
#     CHAT_ROOM=unix:///tmp/chat.sock bin/raffia run examples/chat/room.rb
#     CHAT_ROOM=unix:///tmp/chat.sock bin/raffia serve examples/chat/config.ru --processes 2
#
# Wants the gem websocket-driver.

require "raffia/server/websocket"
require_relative "room"

PAGE = File.read(File.join(__dir__, "page.html"))

# One who has the page open.
class Guest < Raffia::Actor
  def initialize(socket) = @socket = socket

  # When the room ends, so does this: the page comes back by itself, into the next one.
  def enter(room)
    monitor(room) { @socket.close(1012, "the room is closed") }
    room.enter(ref)
  end

  # Never waits: who reads too slowly misses some, and the others do not.
  def hear(message) = @socket.push(message)
end

# The first visitor opens the room of this process: actors live in the process that makes them, and
# workers are forked.
def room
  return Raffia::Actor.at(ENV["CHAT_ROOM"], :room) if ENV["CHAT_ROOM"]
  Raffia::Actor[:room] || Room.spawn(name: :room)
end

run lambda { |env|
  case env["PATH_INFO"]
  when "/" then [200, {"content-type" => "text/html; charset=utf-8"}, [PAGE]]
  when "/room"
    Raffia::Server::WebSocket.open(env, max_message: 16 * 1024) do |socket|
      here = room
      guest = Guest.spawn(socket)
      guest.enter(here)
      socket.each { |text| here.async.say(text) }
    ensure
      guest&.stop
    end
  else [404, {"content-type" => "text/plain"}, ["not here\n"]]
  end
}
