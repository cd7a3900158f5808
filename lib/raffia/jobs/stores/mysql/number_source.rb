# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # New numbers, each higher than all before. They come from an AUTO_INCREMENT, which needs no
        # lock until the commit, as a counter would. One row stands for {BLOCK} numbers.
        # @api private
        class NumberSource
          BLOCK = 1024
          ADD = "INSERT INTO {numbers} () VALUES ()"
          DELETE = "DELETE FROM {numbers} WHERE id {ids $1}"
          # Used rows that are deleted at a time.
          MOST = 100

          def initialize(driver)
            @driver = driver
            @used = []
          end

          def take(count)
            Array.new(count.ceildiv(BLOCK)) { add }
              .flat_map { |id| (id * BLOCK...(id + 1) * BLOCK).first(count) }.first(count)
          end

          private

          # An application's transaction deletes nothing: it might lock more than rows.
          # {Maintenance} does.
          def add
            clean if @used.size >= MOST
            @driver.run(ADD)
            @driver.last_id.tap { |id| @used << id if @driver.own? }
          end

          def clean
            @driver.run(DELETE, @used)
            @used = []
          end
        end
      end
    end
  end
end
