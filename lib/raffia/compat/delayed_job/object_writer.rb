# frozen_string_literal: true

require_relative "../../jobs/import/object_tree"

module Delayed
  # Writes an object as an {Raffia::Jobs::Import::ObjectTree}. Rows of Active Record become class
  # and id.
  #
  # @api private
  module ObjectWriter
    DEPTH = Raffia::Jobs::Import::ObjectTree::DEPTH
    private_constant :DEPTH

    module_function

    # Raises ArgumentError for an object that JSON cannot keep, and NotPermitted for one that a
    # worker would refuse.
    def write(object, depth = 0)
      raise ArgumentError, "a delayed job is deeper than #{DEPTH} objects" if depth > DEPTH

      case object
      when nil, true, false, Integer then object
      when Float then number(object)
      when String then text(object)
      when Symbol then leaf("symbol", object.to_s)
      when Array then object.map { |one| write(one, depth + 1) }
      when Hash then {"type" => "hash", "pairs" => object.map { |pair| write(pair, depth + 1) }}
      when PerformableMethod then call(object, depth)
      when Module then {"type" => "class", "class" => receiver(object)}
      else value(object, depth)
      end
    end

    class << self
      private

      def value(object, depth)
        if object.is_a?(Time) || object.respond_to?(:time_zone)
          leaf("time", object.to_time.utc.strftime("%F %T.%N Z"))
        elsif defined?(::DateTime) && object.is_a?(::DateTime)
          leaf("datetime", object.iso8601(9))
        elsif defined?(::Date) && object.is_a?(::Date) then leaf("date", object.iso8601)
        elsif defined?(::BigDecimal) && object.is_a?(::BigDecimal) then leaf("decimal", object.to_s)
        elsif object.is_a?(Range) then range(object, depth)
        else any(object, depth)
        end
      end

      def any(object, depth)
        return record(object) if object.respond_to?(:persisted?) && object.respond_to?(:id)

        if object.is_a?(Struct) || object.is_a?(Data)
          return fields("struct", object, object.to_h.transform_keys(&:to_s), depth)
        end
        if object.is_a?(Proc) || object.is_a?(IO) || object.is_a?(Method)
          raise ArgumentError, "a #{object.class} cannot be in a delayed job"
        end

        names = object.instance_variables
        fields("object", object,
          names.to_h { |name| [name.to_s.delete_prefix("@"), object.instance_variable_get(name)] },
          depth)
      end

      def fields(type, object, values, depth)
        name = name(object.class)
        depth.zero? ? Delayed.permission.job(name) : Delayed.permission.class_of(name)
        {"type" => type, "class" => name,
         "fields" => values.transform_values { |value| write(value, depth + 1) }}
      end

      def record(object)
        unless object.persisted?
          raise ArgumentError, "a delayed job cannot be created for a non-persisted record: " \
            "#{object.inspect}"
        end

        name = name(object.class)
        Delayed.permission.model(name)
        {"type" => "record", "class" => name, "id" => write(object.id)}
      end

      def receiver(object)
        name(object).tap { |name| Delayed.permission.receiver(name) }
      end

      def call(object, depth)
        Delayed.permission.check_call(object.object, object.method_name)
        {"type" => "call", "target" => write(object.object, depth + 1),
         "method" => object.method_name.to_s, "args" => write(object.args, depth + 1)}
      end

      def range(object, depth)
        {"type" => "range", "first" => write(object.begin, depth + 1),
         "last" => write(object.end, depth + 1), "exclusive" => object.exclude_end?}
      end

      def number(object)
        return object if object.finite?

        raise ArgumentError, "#{object} cannot be in a delayed job"
      end

      def text(object)
        utf8 = object.encode(Encoding::UTF_8)
        utf8.valid_encoding? ? utf8 : leaf("bytes", [object].pack("m0"))
      rescue EncodingError
        leaf("bytes", [object].pack("m0"))
      end

      def name(object)
        object.name || raise(ArgumentError, "#{object.inspect} has no name, so a delayed job " \
          "cannot have it")
      end

      def leaf(type, value) = {"type" => type, "value" => value}
    end
  end
end
