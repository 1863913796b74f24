# frozen_string_literal: true
# What the oracle's runners share: Debian's puppet-agent with private directories, text that is always UTF-8, the place of
# an error, and a pool of workers that keeps the order of the requests.
require 'json'
require 'tmpdir'
require 'fileutils'
require 'timeout'
require 'puppet'
require 'puppet/pops'
require 'puppet/parser'

module Oracle
  class Expired < Exception; end # rubocop:disable Lint/InheritException

  PLACE = /\((?:file: (?<file>[^)]*?), )?line: (?<line>\d+)(?:, column: (?<column>\d+))?\)/.freeze

  class << self
    attr_reader :work

    # Gives Puppet directories of its own, Puppet 8's strictness and no log destination.
    def start
      @work = Dir.mktmpdir('pupc-oracle')
      owner = Process.pid
      dir = @work
      at_exit { FileUtils.rm_rf(dir) if Process.pid == owner }
      ENV['HOME'] = @work
      Puppet.initialize_settings(['--confdir', "#{@work}/c", '--vardir', "#{@work}/v", '--codedir', "#{@work}/k",
                                  '--rundir', "#{@work}/r", '--logdir', "#{@work}/l"], false)
      Puppet[:disable_i18n] = true
      Puppet[:vendormoduledir] = '' if Puppet.settings.include?(:vendormoduledir)
      Puppet[:strict] = :error
      Puppet[:strict_variables] = true
      Puppet::Util::Log.close_all
    end

    def text(value)
      s = value.to_s.dup
      s = s.encode(Encoding::UTF_8, invalid: :replace, undef: :replace) unless s.encoding == Encoding::UTF_8
      s.scrub('?')
    end

    # Log lines as pupc's batch answers have them: level and message, the source in front unless it is the compiler itself.
    def log_lines(logs)
      logs.reject { |l| %i[debug info].include?(l.level) }.map do |l|
        source = text(l.source)
        { 'level' => l.level.to_s, 'message' => source.empty? || source == 'Puppet' ? text(l) : "#{source}: #{text(l)}" }
      end
    end

    # An exception as {"message","file","line","column"}. Where the exception itself does not know its place, the last place printed
    # in its message or in the first logged error counts (an earlier one is that of another definition or resource).
    def error(exception, logs)
      positive = ->(n) { n.is_a?(Integer) && n.positive? ? n : nil }
      file = exception.respond_to?(:file) ? exception.file : nil
      line = positive.call(exception.respond_to?(:line) ? exception.line : nil)
      column = positive.call(exception.respond_to?(:pos) ? exception.pos : nil)
      if line.nil?
        printed = [text(exception.message)] + logs.select { |l| l['level'] == 'err' }.map { |l| l['message'] }
        match = printed.lazy.map { |s| s.rindex(PLACE) && s.match(PLACE, s.rindex(PLACE)) }.find(&:itself)
        file, line, column = match[:file], match[:line].to_i, match[:column]&.to_i if match
      end
      { 'message' => text(exception.message), 'file' => file.to_s.empty? ? nil : text(file), 'line' => line, 'column' => column }
    end

    # Answers every request in its own fork of this warm process, `jobs` at a time, and writes one JSON line per answer in
    # the order of the requests. The block gets a request and gives an answer; what dies or lasts too long answers with `lost`.
    def forked(requests, out, jobs:, limit:, lost:, &block)
      GC.start
      spread(requests, out, jobs) do |request|
        one_fork(limit, &-> { Timeout.timeout(limit, Expired) { block.call(request) } }) || lost.call(request)
      end
    end

    # As `forked`, but a worker answers its whole share in its own process: for work that leaves nothing behind.
    def warm(requests, out, jobs:, limit:, lost:, &block)
      GC.start
      spread(requests, out, jobs) do |request|
        Timeout.timeout(limit, Expired) { block.call(request) }
      rescue Expired, SystemStackError, NoMemoryError
        lost.call(request)
      end
    end

    private

    def spread(requests, out, jobs)
      Dir.mktmpdir('pupc-answers') do |dir|
        pids = (0...jobs).map do |j|
          fork do
            File.open("#{dir}/#{j}", 'w') do |f|
              requests.each_with_index { |r, i| f.puts(JSON.generate(yield(r))) if i % jobs == j }
            end
            exit!(0)
          end
        end
        pids.each { |pid| Process.wait(pid) }
        files = (0...jobs).map { |j| File.open("#{dir}/#{j}", encoding: 'UTF-8') }
        requests.each_index { |i| out.write(files[i % jobs].gets || raise('a worker of the oracle died')) }
        files.each(&:close)
      end
    end

    def one_fork(limit)
      reader, writer = IO.pipe
      pid = fork do
        reader.close
        [$stdout, $stderr, $stdin].each { |io| io.reopen(File::NULL) }
        srand(99)
        begin
          writer.write(JSON.generate(yield))
        rescue Exception # rubocop:disable Lint/RescueException
          nil
        end
        writer.close
        exit!(0)
      end
      writer.close
      data = begin
        Timeout.timeout(limit + 15) { reader.read }
      rescue Timeout::Error
        Process.kill('KILL', pid)
        ''
      end
      reader.close
      Process.wait(pid)
      data.empty? ? nil : JSON.parse(data.force_encoding('UTF-8'))
    end
  end
end
