# frozen_string_literal: true

require "time"
require_relative "../../jobs/import/yaml_reader"

module Delayed
  # Makes objects of an {Raffia::Jobs::Import::ObjectTree}, as far as {Permission} lets it. No
  # constructor and no hook of a class is called.
  #
  # @api private
  class ObjectReader
    # Returns the object of a job. Raises NotPermitted, DeserializationError.
    def self.job(tree) = new(Delayed.permission).job(tree)

    def initialize(permission)
      @permission = permission
    end

    def job(tree)
      tree = from_yaml(tree["value"]) if tree.is_a?(Hash) && tree["type"] == "yaml"
      case tree.is_a?(Hash) && tree["type"]
      when "call" then call(tree)
      when "object", "struct" then object(tree, @permission.job(tree["class"]))
      else raise DeserializationError, "the job has no object"
      end
    end

    private

    def from_yaml(text)
      text = text["value"].unpack1("m0") if text.is_a?(Hash)
      Raffia::Jobs::Import::YAMLReader.read(text)
    rescue Raffia::Jobs::Import::Unreadable => error
      raise DeserializationError, error.message
    end

    def read(tree)
      case tree
      when Array then tree.map { |one| read(one) }
      when Hash then typed(tree)
      else tree
      end
    end

    def typed(tree)
      case tree["type"]
      when "hash" then tree["pairs"].to_h { |key, value| [read(key), read(value)] }
      when "range" then Range.new(read(tree["first"]), read(tree["last"]), tree["exclusive"])
      when "class" then @permission.receiver(tree["class"])
      when "record" then record(tree)
      when "call" then call(tree)
      when "object", "struct" then object(tree, @permission.class_of(tree["class"]))
      else leaf(tree["type"], tree["value"])
      end
    end

    def leaf(type, value)
      case type
      when "symbol" then value.to_sym
      when "bytes" then value.unpack1("m")
      when "time" then time(value)
      when "date" then ::Date.iso8601(value)
      when "datetime" then ::DateTime.parse(value)
      when "decimal" then BigDecimal(value[/[^:]+\z/])
      else raise DeserializationError, "the job has a value of the type #{type.inspect[0, 100]}"
      end
    rescue ArgumentError, TypeError => error
      raise DeserializationError, "the job has a bad #{type}: #{error.message}"
    end

    # In the program's zone, where Rails has one.
    def time(text)
      time = Time.parse(text)
      (Time.respond_to?(:zone) && Time.zone) ? time.in_time_zone : time
    end

    def record(tree)
      model = @permission.model(tree["class"])
      model = model.unscoped if model.respond_to?(:unscoped)
      model.find(tree["id"])
    rescue => error
      gone = defined?(::ActiveRecord::RecordNotFound) && error.is_a?(::ActiveRecord::RecordNotFound)
      raise unless gone

      raise DeserializationError, "#{tree["class"]} #{tree["id"]} is gone (#{error.message})"
    end

    def call(tree)
      target = read(tree["target"])
      name = tree["method"].to_s
      @permission.check_call(target, name)
      args = read(tree["args"])
      PerformableMailer.mailer?(target) ? PerformableMailer.new(target, name, args) :
        PerformableMethod.new(target, name, args)
    end

    def object(tree, found)
      values = tree["fields"].transform_values { |value| read(value) }
      return found.new(**values.transform_keys(&:to_sym)) if found < Data

      object = found.allocate
      values.each do |name, value|
        (object.is_a?(Struct) && object.members.include?(name.to_sym)) ? object[name] = value :
          object.instance_variable_set(variable(name), value)
      end
      object
    end

    def variable(name)
      unless name.match?(/\A@?[a-zA-Z_]\w*\z/)
        raise DeserializationError, "the job has a field #{name.inspect[0, 100]}"
      end

      "@#{name.delete_prefix("@")}"
    end
  end
end
