# frozen_string_literal: true

require_relative "../../native"

module Raffia
  class Pool
    # In place of a long String on its way between Ractors, which would otherwise be copied, on the
    # way back even three times. Another Ractor may see what is frozen; so a frozen duplicate goes,
    # which shares its bytes with the String and copies nothing, and a duplicate of that arrives.
    # Whichever side writes to its own gets a copy of the bytes then.
    #
    # On the way down the duplicate is in the message, on the way back in a tray, of which the frame
    # has the number.
    #
    # @!attribute [rw] number
    #   @return [Integer, nil] in the tray
    # @!attribute [rw] content
    #   @return [String, Integer] or the place in what is in the tray
    #
    # @api private
    Loan = Struct.new(:number, :content)

    class Loan
      # Bytes from which on it pays.
      LONG = 65_536

      # @return [Object] shareable, and shared by all of one worker; nil without the extension
      def self.tray = (::Ractor.make_shareable(Native::RactorMailbox.new) if Native.const_defined?(:RactorMailbox))

      # @param items [Array] of a chunk, or arguments
      # @return [Array] with loans in place of long Strings; the same when there are none
      def self.lend(items)
        return items unless items.is_a?(Array) && items.any? { |item| copied?(item) }

        items.map { |item| copied?(item) ? new(nil, dup_of(item)) : item }
      end

      # @return [Array, Range] what was lent
      def self.borrow(items)
        return items unless items.is_a?(Array) && items.any? { |item| Loan === item }

        items.map { |item| (Loan === item) ? item.content.dup : item }
      end

      # In the worker: leave the long Strings of a reply in the tray.
      # @param reply [Reply]
      # @param tray [Native::RactorMailbox, nil]
      # @return [Reply]
      def self.deposit(reply, tray)
        values = values(reply)
        return reply unless tray && values&.any? { |value| long?(value) }

        strings = values.select { |value| long?(value) }.map { |value| dup_of(value) }
        number = tray.put(::Ractor.make_shareable(strings)) or return reply
        place = -1
        put(reply, values.map { |value| long?(value) ? new(number, place += 1) : value })
      end

      # In the driver.
      # @return [Reply]
      def self.collect(reply, tray)
        values = values(reply)
        first = values&.find { |value| Loan === value } or return reply
        strings = tray.take(first.number)
        put(reply, values.map { |value| (Loan === value) ? strings[value.content].dup : value })
      end

      # A result may be a BasicObject, which can be asked nothing.
      def self.long?(value)
        String === value && value.instance_of?(String) && value.bytesize >= LONG
      end

      # What is frozen goes as it is.
      def self.copied?(item) = long?(item) && !item.frozen?

      def self.dup_of(string) = string.dup.freeze

      def self.values(reply)
        case (value = reply.value)
        when Settled then value.values
        when String, Loan then [value]
        when Array then value if value.instance_of?(Array)
        end
      end

      def self.put(reply, values)
        case reply.value
        when Settled then reply.value.values = values
        when String, Loan then reply.value = values.first
        else reply.value = values
        end
        reply
      end

      private_class_method :long?, :copied?, :dup_of, :values, :put
    end
  end
end
