# frozen_string_literal: true

require "zlib"
require_relative "statement"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Also compiles statements, and has the numbers of locks.
        class Dialect < SQL::Dialect
          # Microseconds since 1970, whatever the session's time zone is.
          EPOCH = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s) / 1e6"
          WORDS = {
            "upsert" => "ON DUPLICATE KEY UPDATE%.0s",
            "ignore" => InsertStatement::IGNORE,
            "excluded" => "VALUES(%s)", "existing" => "%s", "returning" => "RETURNING",
            "lock" => "FOR UPDATE", "try_lock" => "FOR UPDATE SKIP LOCKED",
            "skip_locked" => "FOR UPDATE SKIP LOCKED", "index" => "`%s`",
            "id" => "bigint PRIMARY KEY", "bytes" => "longblob",
            "now" => format(EPOCH, "UTC_TIMESTAMP(6)"),
            # The session's time zone is UTC.
            "uptime" => format(EPOCH, "SYSDATE(6)"),
            "live" => "ends_at > #{format(EPOCH, "SYSDATE(6)")}",
            "ids" => "IN (%s)", "names" => "IN (%s)", "contains" => "LOCATE(%2$s, %1$s) > 0"
          }.freeze
          # A reserved word that is a column's name.
          RESERVED = /\bkey\b/
          # Locks of a kind (the name up to the colon) are this many rows.
          SLOTS = 64
          KINDS = %w[other limit value statistics unique rate].freeze

          attr_reader :prefix

          def initialize(prefix)
            super(WORDS, prefix)
            @prefix = prefix
            @keys = Tables.keys.transform_keys { |name| "#{prefix}#{name}" }
            @statements = {}
          end

          def translate(sql) = super.gsub(RESERVED, "`key`")

          def statement(sql)
            @statements[sql] ||= Statement.compile(text(sql), @keys)
          end

          # Numbers of rows that are locked for these names.
          def slots(names)
            names.map do |name|
              kind = KINDS.index(name[/\A[^:]*/]) || 0
              kind * SLOTS + Zlib.crc32(name) % SLOTS
            end.uniq.sort
          end

          private

          # There are no aliases in an INSERT. Any column of a key will do to ignore it.
          def word(name, arguments)
            arguments = [] if arguments == ["existing"]
            arguments = arguments.first.split(",").first(1) if name == "ignore"
            super
          end
        end
      end
    end
  end
end
