# frozen_string_literal: true

require_relative "../../native"
require_relative "../reply"

module Raffia
  module Executor
    module Ractors
      # Stands for a long String on its way between Ractors, which would otherwise be copied, on the
      # way back even three times. Another Ractor may see what is frozen; so a frozen duplicate
      # goes, which shares its bytes with the String, and a duplicate of that arrives. A side that
      # writes to its own gets a copy of the bytes then.
      #
      # On the way down the duplicate is in the message; on the way back it is in a tray, whose
      # number the frame has.
      #
      # number:: in the tray
      # content:: or the position in what is in the tray
      ObjectTransfer = Struct.new(:number, :content)

      class ObjectTransfer
        # Bytes from which on it pays.
        LONG = 65_536

        class << self
          # Shareable, and shared by all of one worker; nil without the extension.
          def tray
            (if Native.const_defined?(:RactorMailbox)
               ::Ractor.make_shareable(Native::RactorMailbox.new)
             end)
          end

          # With transfers in place of long Strings; the same when there are none.
          def lend(values, nesting = 1)
            return values.map { |inner| lend(inner) } if nesting > 1
            return values unless values.is_a?(Array) && values.any? { |value| copied?(value) }

            values.map { |value| copied?(value) ? new(nil, dup_of(value)) : value }
          end

          # What was lent.
          def borrow(values, nesting = 1)
            return values unless values.is_a?(Array)
            return values.map { |inner| borrow(inner) } if nesting > 1
            return values unless values.any? { |value| ObjectTransfer === value }

            values.map { |value| (ObjectTransfer === value) ? value.content.dup : value }
          end

          # In the Ractor: leave the long Strings of a reply in the tray.
          def deposit(reply, tray)
            values = values(reply)
            return reply unless tray && values&.any? { |value| long?(value) }

            strings = values.select { |value| long?(value) }.map { |value| dup_of(value) }
            number = tray.put(::Ractor.make_shareable(strings)) or return reply
            place = -1
            put(reply, values.map { |value| long?(value) ? new(number, place += 1) : value })
          end

          # In the worker loop.
          def collect(reply, tray)
            values = values(reply)
            first = values&.find { |value| ObjectTransfer === value } or return reply
            strings = tray.take(first.number)
            put(reply, values.map do |value|
              (ObjectTransfer === value) ? strings[value.content].dup : value
            end)
          end

          # An object that was moved leaves one here that answers nothing. Whether this is one.
          def moved?(object)
            defined?(::Ractor::MovedObject) ? ::Ractor::MovedObject === object : false
          end

          private

          # A result may be a BasicObject, which can be asked nothing.
          def long?(value)
            String === value && value.instance_of?(String) && value.bytesize >= LONG
          end

          # Frozen values go as they are.
          def copied?(value) = long?(value) && !value.frozen?
          def dup_of(string) = string.dup.freeze

          def values(reply)
            case (value = reply.value)
            when Reply::Outcomes then value.values
            when String, ObjectTransfer then [value]
            when Array then value if value.instance_of?(Array)
            end
          end

          def put(reply, values)
            case reply.value
            when Reply::Outcomes then reply.value.values = values
            when String, ObjectTransfer then reply.value = values.first
            else reply.value = values
            end
            reply
          end
        end
      end
    end
  end
end
