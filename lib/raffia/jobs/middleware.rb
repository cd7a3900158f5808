# frozen_string_literal: true

module Raffia
  module Jobs
    # A chain of middleware. Each link has `call(*arguments) { }`, and goes on by yielding.
    class Middleware
      def initialize
        @links = [].freeze # replaced as a whole, so that a call sees one state of it
      end

      # @return [self]
      def add(link) = replace([*@links, link])

      # @return [self]
      def prepend(link) = replace([link, *@links])

      # @param link [Object, Class] the link, or its class
      def remove(link)
        replace(@links.reject { |one|
          one == link || (link.is_a?(Class) && one.instance_of?(link))
        })
      end

      # @return [Boolean]
      def empty? = @links.empty?

      # @return [Object] what the outermost one returns
      def call(*arguments, &inner) = step(@links, 0, arguments, inner)

      private

      def replace(links)
        @links = links.freeze
        self
      end

      def step(links, index, arguments, inner)
        link = links[index] or return inner.call
        link.call(*arguments) { step(links, index + 1, arguments, inner) }
      end
    end
  end
end
