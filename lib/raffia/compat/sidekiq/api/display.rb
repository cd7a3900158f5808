# frozen_string_literal: true

module Sidekiq
  # Class and arguments of a job as people know it: an Active Job's own instead of its wrapper's,
  # and a mailer's instead of the delivery job's.
  module Display
    WRAPPERS = %w[ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper
      Sidekiq::ActiveJob::Wrapper].freeze
    MAILS = %w[ActionMailer::DeliveryJob ActionMailer::MailDeliveryJob].freeze
    # Prefix of the keys that Active Job adds to arguments, and the key of a record.
    MARK = "_aj_"
    RECORD = "_aj_globalid"
    private_constant :WRAPPERS, :MAILS, :MARK, :RECORD

    def display_class
      return self["display_class"] || klass unless wrapper?

      MAILS.include?(inner) ? args.first["arguments"].first(2).join("#") : inner
    end

    def display_args
      return self["encrypt"] ? [*args[0...-1], "[encrypted data]"] : args unless wrapper?

      arguments = self["wrapped"] ? plain(args.first["arguments"]) : []
      case inner
      when MAILS.first then arguments.drop(3)
      when MAILS.last then arguments.drop(3).first.values_at("params", "args")
      else arguments
      end
    end

    private

    def wrapper? = WRAPPERS.include?(klass)

    def inner = self["wrapped"] || args.first

    def plain(argument)
      case argument
      when Array then argument.map { |one| plain(one) }
      when Hash
        return argument[RECORD] if argument.keys == [RECORD]

        argument.reject { |name, _| name.start_with?(MARK) }.transform_values { |one| plain(one) }
      else argument
      end
    end
  end
end
