# frozen_string_literal: true

require_relative "../../native"
require_relative "../reply"

module Raffia
  module Executor
    module Ractors
      # Stands for a long String on its way between Ractors, which would otherwise be copied, on the
      # way back three times. Ractors may share what is frozen; so a frozen duplicate goes, which
      # shares its bytes with the String, and a duplicate of that arrives. Bytes are copied when one
      # is written to.
      #
      # On the way down the duplicate is in the message; on the way back it is in a mailbox, and the
      # frame has its number.
      #
      # number:: in the mailbox
      # content:: or the position in that entry of the mailbox
      ObjectTransfer = Struct.new(:number, :content)

      class ObjectTransfer
        LONG = 65_536

        class << self
          # Shareable, one for each worker; nil without the extension.
          def mailbox
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

          def borrow(values, nesting = 1)
            return values unless values.is_a?(Array)
            return values.map { |inner| borrow(inner) } if nesting > 1
            return values unless values.any? { |value| ObjectTransfer === value }

            values.map { |value| (ObjectTransfer === value) ? value.content.dup : value }
          end

          # In the Ractor: leaves the long Strings of a reply in the mailbox.
          def deposit(reply, mailbox)
            values = values(reply)
            return reply unless mailbox && values&.any? { |value| long?(value) }

            strings = values.select { |value| long?(value) }.map { |value| dup_of(value) }
            number = mailbox.put(::Ractor.make_shareable(strings)) or return reply
            place = -1
            put(reply, values.map { |value| long?(value) ? new(number, place += 1) : value })
          end

          def collect(reply, mailbox)
            values = values(reply)
            first = values&.find { |value| ObjectTransfer === value } or return reply
            strings = mailbox.take(first.number)
            put(reply, values.map do |value|
              (ObjectTransfer === value) ? strings[value.content].dup : value
            end)
          end

          # Whether this is the rest of an object that was moved, which answers nothing.
          def moved?(object)
            defined?(::Ractor::MovedObject) ? ::Ractor::MovedObject === object : false
          end

          private

          # A result may be a BasicObject, which answers no question.
          def long?(value)
            String === value && value.instance_of?(String) && value.bytesize >= LONG
          end

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
