# frozen_string_literal: true

# A chat over WebSockets, of two kinds of actors: the room, which knows who is here and what was said, and for each open page a guest.
#
#     bin/raffia serve examples/chat/config.ru --processes 1
#
# One process, because the room is in its memory; with more, have the messages travel through Redis or PostgreSQL. Wants the gem
# websocket-driver.

require "raffia/actor"
require "raffia/server/websocket"
require "json"

PAGE = File.read(File.join(__dir__, "page.html"))

# One who has the page open.
class Guest < Raffia::Actor
  def initialize(socket) = @socket = socket

  # Never waits: who reads too slowly misses some, and the others do not.
  def hear(message) = @socket.push(message)
end

# Everybody who is here, and the last messages for who comes later. Messages come one after the other, whatever thread or fiber they come from:
# so all hear them in the same order, and nothing here needs a lock.
class Room < Raffia::Actor
  LAST = 50

  def initialize
    @guests = []
    @messages = []
  end

  def enter(guest)
    @guests << guest
    monitor(guest) { |gone| leave(gone) } # however that comes
    @messages.each { |message| guest.async.hear(message) }
    tell_count
  end

  # @param text [String] JSON, from anybody
  def say(text)
    name, words = Hash(JSON.parse(text)).values_at("name", "text").map { |value| value.to_s.strip }
    return if words.empty?

    message = JSON.generate(name: name.empty? ? "somebody" : name[0, 40], text: words[0, 2_000], at: Time.now.to_i)
    @messages = [*@messages, message].last(LAST)
    tell(message)
  rescue JSON::ParserError, TypeError
    nil # no page of ours
  end

  private

  def leave(guest)
    @guests.delete(guest)
    tell_count
  end

  def tell_count = tell(JSON.generate(here: @guests.size))

  def tell(message)
    @guests.each do |guest|
      guest.async.hear(message)
    rescue Raffia::ActorDied
      nil # the monitor tells us next
    end
  end
end

# The room of this process. It is opened by the first who comes: actors live in the process that makes them, and workers are forked.
def room = Raffia::Actor[:room] || Room.spawn(name: :room)

run lambda { |env|
  case env["PATH_INFO"]
  when "/" then [200, {"content-type" => "text/html; charset=utf-8"}, [PAGE]]
  when "/room"
    Raffia::Server::WebSocket.open(env, max_message: 16 * 1024) do |socket|
      guest = Guest.spawn(socket)
      room.enter(guest)
      socket.each { |text| room.async.say(text) }
    ensure
      guest&.stop
    end
  else [404, {"content-type" => "text/plain"}, ["not here\n"]]
  end
}
