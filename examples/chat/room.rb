# frozen_string_literal: true

# The room of a chat, see config.ru. As a program of its own it is there for any number of
# processes:
#
#     CHAT_ROOM=unix:///tmp/chat.sock bin/raffia run examples/chat/room.rb

require "raffia/actor"
require "json"

# Everybody who is here, and the last messages for who comes later. Messages come one after the
# other, whatever thread, fiber or process they come from: so all hear them in the same order, and
# nothing here needs a lock.
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

    message = JSON.generate(name: name.empty? ? "somebody" : name[0, 40], text: words[0, 2_000],
      at: Time.now.to_i)
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

if $PROGRAM_NAME == __FILE__
  Room.spawn(name: :room)
  Raffia::Actor.listen(ENV.fetch("CHAT_ROOM"))
  puts "The room is open: #{ENV.fetch("CHAT_ROOM")}"
  $stdout.flush
  sleep
end
