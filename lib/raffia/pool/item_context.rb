# frozen_string_literal: true

module Raffia
  class Pool
    # The item that an exception of a user's block is about, as a part of the exception. It keeps
    # its class; `rescue Raffia::Pool::ItemContext` catches any that came from a worker.
    #
    #     rescue Net::ReadTimeout => error
    #       warn "#{error.item} (number #{error.item_index}) timed out"
    #
    # When calls are nested, each level's rescue sees the item of its own level.
    module ItemContext
      # @return [Object] the item whose block raised
      attr_reader :item
      # @return [Integer] its index in the input
      attr_reader :item_index

      # @return [Exception] the error, or a copy of one that is frozen, with the item
      def self.mark(error, item, index)
        error = thaw(error)
        return error if error.frozen?

        error.extend(self)
        error.item_is(item, index)
        error
      end

      # @return [Exception] itself, or a copy of one that is frozen and can be copied
      # @api private
      def self.thaw(error)
        error.frozen? ? error.clone(freeze: false) : error
      rescue
        error
      end

      # @return [void]
      # @api private
      def item_is(item, index)
        @item = item
        @item_index = index
      end

      # The exception may go where its item cannot. Whether it could be dropped.
      # @api private
      def drop_item
        return false if frozen?

        @item = nil
        true
      end

      # The message of an uncaught exception, and the item it was about.
      def detailed_message(highlight: false, **)
        "#{super} [item #{@item_index}: #{ItemContext.brief(@item)}]"
      end

      # @api private
      def self.brief(item)
        return "moved to its Ractor" if Executor::Ractors::ObjectTransfer.moved?(item)

        text = item.inspect
        (text.length > 80) ? "#{text[0, 77]}..." : text
      rescue
        item.class.name
      end
    end
  end
end
