# frozen_string_literal: true

module Raffia
  module Jobs
    class Web
      # Position in a long list.
      # @api private
      class Pager
        attr_reader :offset, :limit
        attr_reader :total
        # Parameters that links to other pages keep.
        attr_reader :query
        # Entries on the page.
        attr_accessor :size

        # +total+: nil when unknown. +about+: whether it is approximate.
        def initialize(page, limit, total: nil, about: false, **query)
          @offset = page.request.number("offset")
          @limit = limit
          @total = total
          @about = about
          @query = query
          @size = total ? (total - @offset).clamp(0, limit) : 0
          @more = false
        end

        # Entries of the page, out of up to one more than the limit.
        def cut(entries)
          @more = entries.size > limit
          entries.first(limit).tap { |shown| @size = shown.size }
        end

        def before = offset.positive? ? (offset - limit).clamp(0..) : nil

        def after = (@more || (total && offset + limit < total)) ? offset + limit : nil

        def last = (total && total > limit) ? (total - 1) / limit * limit : nil

        # +number+ formats a number.
        def summary(number)
          return "none" if size.zero? && offset.zero?

          shown = if size.zero?
            "none from #{number.call(offset + 1)} on"
          else
            "#{number.call(offset + 1)}–#{number.call(offset + size)}"
          end
          return shown unless total && (total > size)

          "#{shown} of #{"about " if @about}#{number.call(total)}"
        end
      end
    end
  end
end
